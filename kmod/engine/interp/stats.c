// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters of the interpreter: lines of a GPU's debugfs file "stats", and the file "opcodes" (how
 * often each opcode ran), one "name value" per line. Each counter has one writer; reads are not a
 * snapshot. The file "engine" says who is to run waves.
 */
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "remote.h"

static const struct {
	const char *name;
	size_t at;
	bool max;
} counters[] = {
	{ "groups", offsetof(struct interp_counters, groups), false },
	{ "waves", offsetof(struct interp_counters, waves), false },
	{ "instructions", offsetof(struct interp_counters, insns), false },
	{ "messages", offsetof(struct interp_counters, messages), false },
	{ "tlb_misses", offsetof(struct interp_counters, misses), false },
	{ "access_faults", offsetof(struct interp_counters, faults), false },
	{ "sections", offsetof(struct interp_counters, sections), false },
	{ "section_ns", offsetof(struct interp_counters, section_ns), false },
	{ "section_max_ns", offsetof(struct interp_counters, section_max_ns), true },
	{ "section_max_cpu_ns", offsetof(struct interp_counters, section_max_cpu_ns), true },
	{ "owner_changes", offsetof(struct interp_counters, owner_changes), false },
	{ "predictor_barriers", offsetof(struct interp_counters, barriers), false },
};

/* Their owners use plain stores, so this may miss the last increment. */
static u64 counter(const struct interp_counters *c, size_t at)
{
	/* Its thread counts with plain stores. */
	return data_race(READ_ONCE(*(const u64 *)((const u8 *)c + at)));
}

static u64 sum(struct interp *ip, size_t at, bool max)
{
	u64 v = 0, n;
	unsigned int i;

	for (i = 0; i < ip->nworkers; i++) {
		n = counter(&ip->workers[i].n, at);
		v = max ? max(v, n) : v + n;
	}
	return interp_remote_sum(ip, at, max, v);
}

static unsigned int vector_bits(const struct interp *ip)
{
	const char *name = isa_lane_name(ip->lane);

	if (!strcmp(name, "avx512"))
		return 512;
	return !strcmp(name, "avx2") ? 256 : 128;
}

void interp_show(struct hw *vg, struct seq_file *m)
{
	struct interp *ip = to_interp(vg);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(counters); i++)
		seq_printf(m, "%s %llu\n", counters[i].name,
			   sum(ip, counters[i].at, counters[i].max));
	seq_printf(m, "vector_bits %u\n", vector_bits(ip));
	seq_printf(m, "block_bytes %lld\n", atomic64_read(&ip->block_bytes));
	seq_printf(m, "block_bytes_max %llu\n", interp_block_cap(ip));
	seq_printf(m, "pick_looks %u\n", READ_ONCE(ip->pick_looks));
	interp_remote_show(ip, m);
}

/* One line per opcode that has run: name and count. */
static int opcodes_show(struct seq_file *m, void *unused)
{
	struct interp *ip = m->private;
	u64 *count = kvcalloc(isa_op_count(), sizeof(*count), GFP_KERNEL);
	unsigned int i;

	if (!count)
		return -ENOMEM;
	for (i = 0; i < ip->nworkers; i++)
		isa_icache_count(ip->workers[i].cu, count);
	interp_remote_opcodes(ip, count);
	for (i = 0; i < isa_op_count(); i++)
		if (count[i])
			seq_printf(m, "%s %llu\n", isa_op_name(i), count[i]);
	kvfree(count);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(opcodes);

static int engine_mode_show(struct seq_file *m, void *unused)
{
	seq_printf(m, "%s\n", gpu_engine_names[interp_engine(m->private)]);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(engine_mode);

/* Measure sections by interp_cpu_clock_ns(), too? Turning it on resets the maximum. */
static int cpu_clock_get(void *data, u64 *val)
{
	struct interp *ip = data;

	*val = READ_ONCE(ip->cpu_clock);
	return 0;
}

static int cpu_clock_set(void *data, u64 val)
{
	struct interp *ip = data;
	unsigned int i;

	for (i = 0; val && i < ip->nworkers; i++)
		WRITE_ONCE(ip->workers[i].n.section_max_cpu_ns, 0);
	WRITE_ONCE(ip->cpu_clock, val);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(cpu_clock_fops, cpu_clock_get, cpu_clock_set, "%llu\n");

void interp_debugfs_init(struct interp *ip)
{
	struct dentry *dir = ip->vg->gdev->debugfs;

	if (IS_ERR_OR_NULL(dir))
		return;
	ip->opcodes_file = debugfs_create_file("opcodes", 0444, dir, ip, &opcodes_fops);
	ip->engine_file = debugfs_create_file("engine", 0444, dir, ip, &engine_mode_fops);
	ip->clock_file = debugfs_create_file("section_cpu_clock", 0600, dir, ip, &cpu_clock_fops);
}

void interp_debugfs_fini(struct interp *ip)
{
	debugfs_remove(ip->clock_file);
	debugfs_remove(ip->engine_file);
	debugfs_remove(ip->opcodes_file);
}
