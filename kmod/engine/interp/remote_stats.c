// SPDX-License-Identifier: GPL-2.0-only
/* What the threads of engine processes have counted, also those that are gone. */
#include <linux/seq_file.h>

#include "remote_int.h"

static void add_counters(struct interp_counters *to, const struct interp_counters *from)
{
	to->groups += from->groups;
	to->waves += from->waves;
	to->insns += from->insns;
	to->misses += from->misses;
	to->faults += from->faults;
	to->messages += from->messages;
	to->compiled += from->compiled;
	to->sections += from->sections;
	to->section_ns += from->section_ns;
}

/* What the program says, which counts nowhere else. */
static void add_opcodes(const struct interp_remote *r, const struct remote_worker *rw, u64 *count)
{
	const u64 *from = rw->section + r->counts_at;
	unsigned int i;

	for (i = 0; i < isa_op_count(); i++)
		count[i] += READ_ONCE(from[i]);
}

void interp_remote_counted(const struct interp_remote *r)
{
	struct interp *ip = r->ip;
	unsigned int i;

	lockdep_assert_held(&ip->remotes_lock);
	for (i = 0; i < r->nworkers; i++) {
		add_counters(&ip->remote_n, &r->workers[i]->w.n);
		add_opcodes(r, r->workers[i], ip->remote_opcodes);
	}
}

u64 interp_remote_sum(struct interp *ip, size_t at, bool max, u64 v)
{
	const struct interp_remote *r;
	unsigned int i;

	if (max)
		return v;	/* a section in user mode may last */
	mutex_lock(&ip->remotes_lock);
	v += *(const u64 *)((const u8 *)&ip->remote_n + at);
	list_for_each_entry(r, &ip->remotes, node)
		for (i = 0; i < r->nworkers; i++)
			/* The thread counts with plain stores. */
			v += data_race(READ_ONCE(*(const u64 *)
					((const u8 *)&r->workers[i]->w.n + at)));
	mutex_unlock(&ip->remotes_lock);
	return v;
}

void interp_remote_opcodes(struct interp *ip, u64 *count)
{
	const struct interp_remote *r;
	unsigned int i;

	mutex_lock(&ip->remotes_lock);
	for (i = 0; i < isa_op_count(); i++)
		count[i] += ip->remote_opcodes[i];
	list_for_each_entry(r, &ip->remotes, node)
		for (i = 0; i < r->nworkers; i++)
			add_opcodes(r, r->workers[i], count);
	mutex_unlock(&ip->remotes_lock);
}

void interp_remote_show(struct interp *ip, struct seq_file *m)
{
	const struct interp_remote *r;
	unsigned int n = 0;

	seq_printf(m, "engine_instructions %llu\n",
		   interp_remote_sum(ip, offsetof(struct interp_counters, insns), false, 0));
	seq_printf(m, "engine_compiled %llu\n",
		   interp_remote_sum(ip, offsetof(struct interp_counters, compiled), false, 0));
	mutex_lock(&ip->remotes_lock);
	list_for_each_entry(r, &ip->remotes, node)
		n += !READ_ONCE(r->dead);
	seq_printf(m, "engine_processes %u\n", n);
	seq_printf(m, "engine_starts %llu\n", ip->remote_starts);
	mutex_unlock(&ip->remotes_lock);
}
