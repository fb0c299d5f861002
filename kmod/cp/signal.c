// SPDX-License-Identifier: GPL-2.0-only
/*
 * Signals in memory: what finishing a packet does to an amd_signal_t.
 *
 * The order is fixed. Timestamps come before the value, because whoever sees the new
 * value may read them. The value comes before the mailbox and the event, because whoever
 * is woken looks at the value. The layout is that of ROCr's amd_hsa_signal.h.
 *
 * Whoever sees the new value may also free the signal. So its other fields have to be
 * read before the value is written.
 */
#include "cp_int.h"

#define SIGNAL_MAILBOX	16
#define SIGNAL_EVENT_ID	24

/* Gets the mailbox and the event id; *@mailbox is 0 if nobody waits for an event. */
static int signal_mailbox(struct cp_env *env, u64 va, u64 *mailbox, u32 *event_id)
{
	int err = env->ops->read64(env, va + SIGNAL_MAILBOX, mailbox);

	*mailbox &= ~7ull;
	if (err || !*mailbox)
		return err;
	return env->ops->read32(env, va + SIGNAL_EVENT_ID, event_id);
}

static int signal_notify(struct cp_env *env, u64 mailbox, u32 event_id)
{
	int err;

	if (!mailbox)
		return 0;
	err = env->ops->write64(env, mailbox, event_id);
	if (err)
		return err;
	env->ops->event(env, event_id);
	return 0;
}

int cp_signal_promise(struct cp_env *env, u64 signal_va, struct cp_done *done)
{
	int err = signal_mailbox(env, signal_va, &done->mailbox, &done->event_id);

	done->counted = !err;
	return err;
}

int cp_signal_complete(struct cp_env *env, struct cp_done *done)
{
	u64 ts[2] = { done->start, done->end };
	u64 old, va = done->signal;
	int err = 0;

	if (!va)
		return 0;
	if (!done->counted) {
		err = signal_mailbox(env, va, &done->mailbox, &done->event_id);
		if (!err)
			err = env->ops->write(env, va + CP_SIGNAL_START_TS, ts, sizeof(ts));
		if (!err)
			err = env->ops->add64(env, va + CP_SIGNAL_VALUE, ~0ull, &old);
		if (err)
			return err;
		done->counted = true;
	}
	return signal_notify(env, done->mailbox, done->event_id);
}

int cp_signal_store(struct cp_env *env, u64 signal_va, u64 value)
{
	u64 mailbox = 0;
	u32 event_id = 0;
	int err;

	if (!signal_va)
		return 0;
	err = signal_mailbox(env, signal_va, &mailbox, &event_id);
	if (!err)
		err = env->ops->write64(env, signal_va + CP_SIGNAL_VALUE, value);
	if (err)
		return err;
	return signal_notify(env, mailbox, event_id);
}
