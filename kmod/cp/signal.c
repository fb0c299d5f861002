// SPDX-License-Identifier: GPL-2.0-only
/*
 * Signals in memory: what finishing a packet does to an amd_signal_t.
 *
 * The order is fixed: timestamps before the value, because whoever sees the
 * value may read them; the value before the mailbox and the event, because
 * whoever is woken looks at the value (facts: kfd-abi 5.7).
 */
#include "cp_int.h"

#define SIGNAL_MAILBOX	16
#define SIGNAL_EVENT_ID	24
#define SIGNAL_START_TS	32

static int signal_notify(struct cp_env *env, u64 va)
{
	u64 mailbox = 0;
	u32 event_id;
	int err;

	err = env->ops->read64(env, va + SIGNAL_MAILBOX, &mailbox);
	mailbox &= ~7ull;
	if (err || !mailbox)
		return err;
	err = env->ops->read32(env, va + SIGNAL_EVENT_ID, &event_id);
	if (err)
		return err;
	err = env->ops->write64(env, mailbox, event_id);
	if (err)
		return err;
	env->ops->event(env, event_id);
	return 0;
}

int cp_signal_complete(struct cp_env *env, u64 signal_va, u64 start, u64 end)
{
	u64 ts[2] = { start, end };
	u64 old;
	int err;

	if (!signal_va)
		return 0;
	err = env->ops->write(env, signal_va + SIGNAL_START_TS, ts, sizeof(ts));
	if (err)
		return err;
	err = env->ops->add64(env, signal_va + CP_SIGNAL_VALUE, ~0ull, &old);
	if (err)
		return err;
	return signal_notify(env, signal_va);
}

int cp_signal_store(struct cp_env *env, u64 signal_va, u64 value)
{
	int err;

	if (!signal_va)
		return 0;
	err = env->ops->write64(env, signal_va + CP_SIGNAL_VALUE, value);
	if (err)
		return err;
	return signal_notify(env, signal_va);
}
