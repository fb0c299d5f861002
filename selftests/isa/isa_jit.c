// SPDX-License-Identifier: MIT
/*
 * Compiled code against the interpreter: random programs, those of fuzz_program.c, run by
 * both on machines of their own. Whenever the JIT stops, for whatever reason, the
 * interpreter does as many instructions, and registers, LDS and memory must be the same,
 * bit for bit (but for VGPRs of a wave that has ended). What differs is shown with the program.
 *
 *	isa_jit [-s SEED] [-n PROGRAMS] [-t SECONDS] [-c VKFD-JIT]
 *
 * ISA_JIT_S in the environment: SECONDS, if there is no -t; 20 without.
 *
 * With -c, that program compiles, as it does for an engine process. Every fourth program is run with
 * jit_options.check, which must not find anything; that it does find what is wrong is tried last.
 * Before that: a wave that went on in the middle of a loop that does not end.
 */
#include "fuzz_program.c"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "jit_int.h"
#include "jit_remote.h"

#define JIT_BUDGET	300u
#define REMOTE_BYTES	(4u << 20)

static struct jit *jit;
static u32 seed_now;
static struct jit_remote *remote;
static void *remote_mem;

/* What differs() ends with */
static void say_seed(int sig)
{
	(void)sig;
	fprintf(stderr, "again: isa_jit -n 1 -s %u\n", seed_now);
	printf("not ok 1 - random programs, compiled and interpreted\n");
	fflush(stdout);
	_exit(1);
}

size_t LLVMFuzzerMutate(u8 *data, size_t size, size_t max)
{
	(void)data, (void)max;
	return size;
}

static bool is_behind(enum isa_stop why)
{
	return why == ISA_STOP_BUDGET || why == ISA_STOP_END || why == ISA_STOP_BARRIER ||
	       why == ISA_STOP_MSG || why == ISA_STOP_HALT || why == ISA_STOP_GWS ||
	       why == ISA_STOP_EXCP;
}

/* The interpreter's machine to where the JIT's is */
static void follow(struct machine *m, const struct isa_exit *ex)
{
	u32 want = ex->insns + !is_behind(ex->why), n = 0;

	memset(&m->ex, 0, sizeof(m->ex));
	do {
		isa_wave_run(m->w, want - n, &m->ex);
		n += m->ex.insns;
	} while (m->ex.why == ISA_STOP_BUDGET && n < want);
}

static void run_program(const u8 *data, size_t size, const struct isa_lane_ops *ops)
{
	struct machine *i = &machines[0], *j = &machines[1];
	u32 turn;

	target = isa_target_by_name(target_any(data[0]));
	make_program(data, size);
	make_rows(data);
	machine_start(i, ops, data);
	machine_start(j, ops, data);
	/* Only rounding to nearest is compiled. */
	i->w->mode &= ~0xfu;
	j->w->mode &= ~0xfu;
	for (turn = 0; turn < 40 && !j->done; turn++) {
		jit_wave_run(jit, j->w, JIT_BUDGET, &j->ex);
		follow(i, &j->ex);
		/* The interpreter looks for the next code before it looks at its budget. */
		if (j->ex.why == ISA_STOP_BUDGET && i->ex.why == ISA_STOP_MISS &&
		    i->ex.access == ISA_X && i->w->pc == j->w->pc)
			continue;
		compare_exit(j, data);
		/* Compiled code leaves the VGPRs of a wave that has ended as they are. */
		if (j->ex.why == ISA_STOP_END)
			memcpy(j->w->v, i->w->v, i->w->rows * 256);
		compare(j, data);
		machine_stop(i);
		machine_stop(j);
	}
}

/* ---- a loop without an end ---- */

static void say_loop(int sig)
{
	(void)sig;
	printf("not ok 2 - a loop that is entered in its middle ends with its budget\n");
	fflush(stdout);
	_exit(1);
}

static struct jit *make_jit(const struct jit_options *o)
{
	if (!remote)
		return jit_create(o);
	memset(remote_mem, 0, REMOTE_BYTES);
	return jit_remote_create(remote, o, remote_mem, REMOTE_BYTES);
}

/* Code of the unit lies before its entry: where a wave went on that was saved there. */
static bool loop_ends(void)
{
	static const u32 program[] = {
		0x68020281,	/* v_add_u32 v1, 1, v1 */
		0x2a060501,	/* v_xor_b32 v3, v1, v2 */
		0xbf82fffd,	/* s_branch to the first */
	};
	static const struct itimerval patience = { .it_value.tv_sec = 20 }, none;
	const struct jit_options o = { .hot = 1, .wait = true, .lane = "avx2" };
	struct machine *i = &machines[0], *m = &machines[1];
	static const u8 cfg[HEADER];
	bool ok;
	u32 n;

	target = isa_target_by_name("gfx90a");
	memcpy(code, program, sizeof(program));
	ncode = ARRAY_SIZE(program);
	make_rows(cfg);
	machine_start(i, lane[1], cfg);
	machine_start(m, lane[1], cfg);
	i->w->mode &= ~0xfu;
	m->w->mode &= ~0xfu;
	i->w->pc += 4;
	m->w->pc += 4;
	jit = make_jit(&o);
	if (!jit)
		return false;
	/* Of CPU time: a machine that is busy with other tests takes as long as it likes. */
	signal(SIGPROF, say_loop);
	setitimer(ITIMER_PROF, &patience, NULL);
	for (n = 0, ok = true; n < 3; n++) {
		jit_wave_run(jit, m->w, JIT_BUDGET, &m->ex);
		follow(i, &m->ex);
		ok = ok && m->ex.why == ISA_STOP_BUDGET && m->ex.insns >= JIT_BUDGET &&
		     m->ex.insns < 2 * JIT_BUDGET && m->w->pc == i->w->pc &&
		     !memcmp(m->w->v, i->w->v, i->w->rows * 256);
	}
	setitimer(ITIMER_PROF, &none, NULL);
	ok = ok && jit_compiled(jit) >= JIT_BUDGET;
	if (!remote)
		jit_destroy(jit);
	return ok;
}

/* ---- loads and stores whose addresses are of all shapes ---- */

#define SHAPES		9u
#define SHAPE_CASES	1500u

static const u32 shape_program[] = {
	0xc00a0202, 0x10,		/* s_load_dwordx4 s[8:11], s[4:5], 0x10 */
	0xc0020302, 0,			/* s_load_dword s12, s[4:5], 0 */
	0xdc508010, 0x0a7f0002,		/* global_load_dword v10, v[2:3], off offset:16 */
	0xdc508000, 0x0b7f0004,		/* global_load_dword v11, v[4:5], off */
	0xdc508000, 0x0c060006,		/* global_load_dword v12, v6, s[6:7] */
	0xdc500000, 0x0d000002,		/* flat_load_dword v13, v[2:3] */
	0xbf8c0000,			/* s_waitcnt 0 */
	0x6814170a,			/* v_add_u32 v10, v10, v11 */
	0x2a181b0c,			/* v_xor_b32 v12, v12, v13 */
	0xdc708000, 0x007f0c08,		/* global_store_dword v[8:9], v12, off */
	0x681c1408,			/* v_add_u32 v14, s8, v10 */
	0x321e1d0c,			/* v_add_co_u32 v15, vcc, v12, v14 */
	0xdc708000, 0x00060e06,		/* global_store_dword v6, v14, s[6:7] */
	0x68101084,			/* v_add_u32 v8, 4, v8: the store after it needs that */
	0xdc708000, 0x007f0f08,		/* global_store_dword v[8:9], v15, off */
	0xdc5c8000, 0x147f0004,		/* global_load_dwordx4 v[20:23], v[4:5], off */
	0xdc548008, 0x18060006,		/* global_load_dwordx2 v[24:25], v6, s[6:7] offset:8 */
	0xdc508000, 0x027f0002,		/* global_load_dword v2, v[2:3], off */
	0xdc508000, 0x107f0002,		/* global_load_dword v16, v[2:3], off: of what that gave */
	0xdc500000, 0x11000004,		/* flat_load_dword v17, v[4:5] */
	0xbf810000,			/* s_endpgm */
};

/* An address in @page in each lane, of some shape; @his: NULL if there are no upper halves */
static void shape_rows(u32 *los, u32 *his, u32 shape, u32 page, u32 *s)
{
	u32 l, at = page * PAGE + (shape == 1 ? PAGE - 4 * (1 + rnd(s) % 64) :
				   shape == 2 ? rnd(s) % 3800 : rnd(s) % 950 * 4);

	for (l = 0; l < ISA_LANES; l++) {
		los[l] = shape == 3 ? at : shape == 4 ? page * PAGE + rnd(s) % (PAGE - 4) :
			 shape == 5 ? at + (63 - l) * 4 : at + 4 * l;
		if (shape == 6 && l == rnd(s) % 64)
			los[l] ^= 64;
		if (his)
			his[l] = shape == 7 ? rnd(s) % 4 : shape == 8 && l == 40;
	}
}

static void shape_wave(struct machine *m, u32 n)
{
	/* Readable, writable or neither; the pages behind some of them are not there. */
	static const u8 pages[] = { 0, 0, 1, 3, 3, 4, 6, 6, 7, 2 };
	u32 s = n * 2654435761u | 1, k, shape;

	for (k = 0; k < 4; k++) {
		static const u8 row[] = { 2, 4, 6, 8 };
		u32 *los = m->w->v + row[k] * ISA_LANES;
		u32 page = n ? pages[rnd(&s) % ARRAY_SIZE(pages)] : 3 * (k & 1);

		shape = n && rnd(&s) % 4 ? rnd(&s) % SHAPES : 0;
		shape_rows(los, row[k] == 6 ? NULL : los + ISA_LANES, shape, page, &s);
	}
	m->w->s[6] = n % 5 ? 0 : 4;
	m->w->s[7] = n % 31 == 30;
	m->w->s[4] = n % 7 == 6 ? PAGE * 2 - n % 32 : 0x40 + n % 64;
	m->w->s[5] = 0;
	if (n % 3 == 2)
		isa_set_exec(m->w, n % 4 ? rnd(&s) | (u64)rnd(&s) << 32 : n % 8 ? 1ull << n % 64 : 0);
}

/* Handlers must be called for what is not plain, and for nothing else. */
static bool shapes(u32 wide)
{
	const struct jit_options o = { .hot = 1, .wait = true, .lane = wide ? "avx512" : "avx2" };
	struct machine *i = &machines[0], *m = &machines[1];
	static const u8 cfg[HEADER] = { [1] = 20 };
	u64 plain[2] = { 0 };
	struct jit_stats st;
	u32 n, turn;

	target = isa_target_by_name("gfx90a");
	memcpy(code, shape_program, sizeof(shape_program));
	ncode = ARRAY_SIZE(shape_program);
	make_rows(cfg);
	jit = jit_create(&o);
	if (!jit)
		return false;
	for (n = 0; n < SHAPE_CASES; n++) {
		machine_start(i, lane[1 + wide], cfg);
		machine_start(m, lane[1 + wide], cfg);
		i->w->mode &= ~0xfu;
		m->w->mode &= ~0xfu;
		shape_wave(i, n < 2 ? 0 : n);
		shape_wave(m, n < 2 ? 0 : n);
		for (turn = 0; turn < 40 && !m->done; turn++) {
			jit_wave_run(jit, m->w, JIT_BUDGET, &m->ex);
			follow(i, &m->ex);
			compare_exit(m, cfg);
			if (m->ex.why == ISA_STOP_END)
				memcpy(m->w->v, i->w->v, i->w->rows * 256);
			compare(m, cfg);
			machine_stop(i);
			machine_stop(m);
		}
		jit_stats(jit, &st);
		if (n < 2)
			plain[n] = st.calls;
	}
	jit_destroy(jit);
	printf("# shapes: %llu units, %llu instructions, %llu by handlers; the plain case: %llu\n",
	       (unsigned long long)st.units, (unsigned long long)st.insns,
	       (unsigned long long)st.calls, (unsigned long long)(plain[1] - plain[0]));
	/* One load is of what another gave, and two are of several dwords, side by side. */
	return plain[1] - plain[0] <= 3 && st.calls > SHAPE_CASES;
}

#include "isa_jit_turns.inc.c"
#include "isa_jit_affine.inc.c"
#include "isa_jit_lds.inc.c"
#include "isa_jit_group.inc.c"
#include "isa_jit_rounds.inc.c"

/* ---- code that is wrong ---- */

#define WRONG_OP	ISA_OP_V_XOR_B32
#define WRONG_AT	1u		/* of the program */

/* What units' code was before */
static struct {
	const struct jit_insn *insn;
	jit_code code;
} real[64];
static u32 nreal;
static const struct jit_ops *real_ops;

/* The unit, and a bit too much in a lane of what the operation has written */
static u32 wrong_code(struct isa_wave *w, struct jit_frame *f)
{
	u32 n, why;

	for (n = 0; real[n].insn != f->insn; n++)
		;
	why = real[n].code(w, f);
	w->v[3 * ISA_LANES + 5] ^= 1;
	return why;
}

static void wrong_submit(struct jit *j, struct jit_unit *u)
{
	u32 n;

	real_ops->submit(j, u);
	for (n = 0; u->code && n < u->ninsns && nreal < ARRAY_SIZE(real); n++)
		if (u->insn[n].i.op == WRONG_OP) {
			real[nreal].insn = u->insn;
			real[nreal++].code = u->code;
			u->code = wrong_code;
			return;
		}
}

/* Does it say which instruction that was, and does the wave have what it should? */
static bool wrong_is_found(void)
{
	static const struct jit_ops ops = { .submit = wrong_submit };
	static const u32 program[] = {
		0x68020501,	/* v_add_u32 v1, v1, v2 */
		0x2a060501,	/* v_xor_b32 v3, v1, v2 */
		0x24080682,	/* v_lshlrev_b32 v4, 2, v3 */
		0xbf820000,	/* s_branch to the next */
		0x680a0903,	/* v_add_u32 v5, v3, v4 */
		0xbf8a0000,	/* s_barrier */
		0xbf810000,
	};
	const struct jit_options o = { .hot = 1, .wait = true, .check = true, .lane = "avx2" };
	const struct jit_difference *d;
	static const u8 cfg[HEADER];
	struct machine *i = &machines[0], *m = &machines[1];
	bool ok;

	target = isa_target_by_name("gfx90a");
	memcpy(code, program, sizeof(program));
	ncode = ARRAY_SIZE(program);
	make_rows(cfg);
	machine_start(i, lane[1], cfg);
	machine_start(m, lane[1], cfg);
	jit = jit_create(&o);
	if (!jit)
		return false;
	real_ops = jit->ops;
	jit->ops = &ops;
	jit_wave_run(jit, m->w, JIT_BUDGET, &m->ex);
	isa_wave_run(i->w, JIT_BUDGET, &i->ex);
	d = jit_differs(jit);
	ok = d && d->op == WRONG_OP && d->pc == CODE_PAGE * PAGE + 4 * WRONG_AT &&
	     m->ex.why == ISA_STOP_BARRIER && m->w->pc == i->w->pc &&
	     !memcmp(m->w->v, i->w->v, i->w->rows * 256);
	if (!ok)
		printf("# found: %s at %llx\n", d ? isa_op_names[d->op] : "nothing",
		       d ? (unsigned long long)d->pc : 0);
	jit_destroy(jit);
	return ok;
}

#include "isa_jit_checked.inc.c"
#include "isa_jit_bad.inc.c"

/* ---- a compiler that takes its time ---- */

#define SLOW_S		0.15

static double clock_s(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double slow_since;
static u32 slow_polls;

static void slow_submit(struct jit *j, struct jit_unit *u)
{
	(void)j, (void)u;
	slow_polls = 0;
	slow_since = clock_s(CLOCK_MONOTONIC);
}

static void slow_poll(struct jit *j, struct jit_unit *u)
{
	slow_polls++;
	if (clock_s(CLOCK_MONOTONIC) - slow_since < SLOW_S)
		return;
	j->o.wait = true;
	wrong_submit(j, u);
	j->o.wait = false;
}

/*
 * The instruction is named however long that takes, and who waits for the compiler looks once in a
 * while: the module ends a process that spins.
 */
static bool waiting_is_cheap(void)
{
	static const struct jit_ops ops = { .submit = slow_submit, .poll = slow_poll };
	static const u32 program[] = {
		0x68020501, 0x68020501, 0x68020501, 0x68020501,	/* v_add_u32 v1, v1, v2 */
		0x2a060501,	/* v_xor_b32 v3, v1, v2 */
		0xbf8a0000,	/* s_barrier */
		0xbf810000,
	};
	const struct jit_options o = { .hot = 1, .check = true, .lane = "avx2" };
	const struct jit_difference *d = NULL;
	struct machine *m = &machines[1];
	static const u8 cfg[HEADER];
	double wall = 0;
	bool ok;
	u32 n;

	target = isa_target_by_name("gfx90a");
	memcpy(code, program, sizeof(program));
	ncode = ARRAY_SIZE(program);
	make_rows(cfg);
	jit = jit_create(&o);
	if (!jit)
		return false;
	nreal = 0;
	real_ops = jit->ops;
	jit->ops = &ops;
	for (n = 0; n < 500 && !d; n++) {
		machine_start(m, lane[1], cfg);
		wall = clock_s(CLOCK_MONOTONIC);
		jit_wave_run(jit, m->w, JIT_BUDGET, &m->ex);
		wall = clock_s(CLOCK_MONOTONIC) - wall;
		d = jit_differs(jit);
		usleep(5000);
	}
	ok = d && d->op == WRONG_OP && d->pc == CODE_PAGE * PAGE + 16 && wall > 5 * SLOW_S &&
	     slow_polls < SLOW_S * 2000;
	printf("# named after %.2f s, for the last of which it has looked %u times\n", wall,
	       slow_polls);
	jit_destroy(jit);
	return ok;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Both widths; now and then compiled beside, while the program is run again and again. */
static void one_program(const u8 *data, size_t size, u32 n, struct jit_stats *sum)
{
	bool wide = !remote && n & 1 && __builtin_cpu_supports("avx512bw");
	const struct jit_options o = {
		.hot = 1, .wait = remote || n % 8 != 7, .verify = true, .check = n % 4 == 2,
		.lane = wide ? "avx512" : "avx2",
	};
	struct jit_stats st;
	u32 again = 0;

	jit = make_jit(&o);
	if (!jit)
		exit(1);
	do {
		run_program(data, size, lane[1 + wide]);
		jit_stats(jit, &st);
		if (!o.wait)
			usleep(10000);
	} while (!o.wait && !st.units && ++again < 100);
	if (jit_differs(jit)) {
		fprintf(stderr, "the check found %s at %llx\n",
			isa_op_names[jit_differs(jit)->op],
			(unsigned long long)jit_differs(jit)->pc);
		show_program(data);
		say_seed(0);
	}
	sum->units += st.units;
	sum->failed += st.failed;
	sum->compiled_insns += st.compiled_insns;
	sum->compile_ns += st.compile_ns;
	sum->insns += st.insns;
	sum->interpreted += st.interpreted;
	sum->calls += st.calls;
	if (!remote)
		jit_destroy(jit);
}

/*
 * Programs that went wrong once. The first has v_log_f32 of a constant that is a denormal, the second
 * products of two NaNs.
 */
static const u32 known[] = { 500324, 100001520 };

static void random_program(u32 seed, u32 n, struct jit_stats *sum)
{
	static u8 data[HEADER + 64 * PICK];
	size_t size;
	u32 s, k;

	seed_now = seed == 1 && n < ARRAY_SIZE(known) ? known[n] : seed + n;
	s = seed_now * 2654435761u | 1;
	for (k = 0; k < 8; k++)
		rnd(&s);
	size = HEADER + (4 + rnd(&s) % 28) * PICK;
	for (k = 0; k < size; k++)
		data[k] = (u8)(rnd(&s) >> 11);
	data[6] = 0;
	one_program(data, size, seed_now, sum);
}

/* Another compiler has nothing to do with the same programs: the first has kept its code in @dir. */
static bool is_kept(const char *program, int dir, u32 seed, u32 programs)
{
	struct jit_stats sum = { 0 };
	u32 n;

	remote = jit_remote_start(program, "avx2", dir, NULL);
	if (!remote)
		return false;
	for (n = 0; n < programs; n++)
		random_program(seed, n, &sum);
	printf("# kept: %llu units, compiled again in %llu ns\n", (unsigned long long)sum.units,
	       (unsigned long long)sum.compile_ns);
	return sum.units && !sum.failed && !sum.compile_ns;
}

/* What is tried behind random programs, where the compiler is in here: with each width, or once, or both */
static const struct {
	const char *name;
	bool (*by_width)(u32 wide);
	bool (*once)(void);
} more[] = {
	{ "wrong code is found", NULL, wrong_is_found },
	{ "addresses of all shapes", shapes, NULL },
	{ "who waits for a compiler takes no time", NULL, waiting_is_cheap },
	{ "loops and blocks by whole rows", turns, NULL },
	{ "LDS addresses of all shapes", lds, NULL },
	{ "arithmetic that leads to addresses", numbers, NULL },
	{ "waves one after another", streams, NULL },
	{ "groups with barriers", groups, NULL },
	{ "checked groups with barriers", checked_groups, wrong_turn_is_found },
	{ "groups that go round a loop with a barrier", rounds, NULL },
	{ "code that is changed, overlaps, or is too much", bad_code, NULL },
	{ "checked streams", NULL, checked_streams },
};

#define FIRST_TESTS	3u	/* before those */

static bool run_more(void)
{
	const u32 widths = 1 + !!__builtin_cpu_supports("avx512bw");
	bool all = true, ok;
	u32 n, k;

	for (n = 0; n < ARRAY_SIZE(more); n++) {
		if (remote) {
			printf("ok %u - %s # SKIP the same with the compiler in here\n",
			       FIRST_TESTS + n + 1, more[n].name);
			continue;
		}
		ok = true;
		for (k = 0; more[n].by_width && k < widths; k++)
			ok &= more[n].by_width(k);
		if (more[n].once)
			ok &= more[n].once();
		printf("%sok %u - %s\n", ok ? "" : "not ", FIRST_TESTS + n + 1, more[n].name);
		all &= ok;
	}
	return all;
}

int main(int argc, char **argv)
{
	struct jit_stats sum = { 0 };
	u32 seed = 1, programs = 100000, n;
	const char *program = NULL;
	int dir = -1;
	const char *limit = getenv("ISA_JIT_S");
	double end = now() + (limit ? atof(limit) : 20);
	bool bad, loop, lost;
	int a;

	for (a = 1; a + 1 < argc; a += 2) {
		if (!strcmp(argv[a], "-s"))
			seed = (u32)atoi(argv[a + 1]);
		else if (!strcmp(argv[a], "-n"))
			programs = (u32)atoi(argv[a + 1]);
		else if (!strcmp(argv[a], "-t"))
			end = now() + atof(argv[a + 1]);
		else if (!strcmp(argv[a], "-c"))
			program = argv[a + 1];
		else if (!strcmp(argv[a], "-d"))
			dir = open(argv[a + 1], O_RDONLY | O_DIRECTORY);
	}
	printf("TAP version 13\n");
	if (!__builtin_cpu_supports("avx2")) {
		printf("1..0 # SKIP no AVX2\n");
		return 0;
	}
	printf("1..%u\n", FIRST_TESTS + (u32)ARRAY_SIZE(more));
	signal(SIGILL, say_seed);
	if (program) {
		remote_mem = aligned_alloc(64, REMOTE_BYTES);
		remote = remote_mem ? jit_remote_start(program, "avx2", dir, NULL) : NULL;
		if (!remote) {
			printf("not ok 1 - %s does not start\n", program);
			return 1;
		}
	}
	init();
	for (n = 0; n < programs && now() < end; n++)
		random_program(seed, n, &sum);
	/* Nothing is compiled in no time. */
	bad = sum.failed || !sum.units || !sum.compile_ns;
	printf("# %u programs, %llu units of %llu instructions in %llu ms, %llu failed; "
	       "%llu instructions run, %llu interpreted, %llu by handlers\n", n,
	       (unsigned long long)sum.units, (unsigned long long)sum.compiled_insns,
	       (unsigned long long)sum.compile_ns / 1000000, (unsigned long long)sum.failed,
	       (unsigned long long)sum.insns, (unsigned long long)sum.interpreted,
	       (unsigned long long)sum.calls);
	printf("%sok 1 - random programs, compiled and interpreted\n",
	       bad ? "not " : "");
	loop = !loop_ends();
	printf("%sok 2 - a loop that is entered in its middle ends with its budget\n",
	       loop ? "not " : "");
	lost = remote && dir >= 0 && !is_kept(program, dir, seed, n < 40 ? n : 40);
	printf("%sok 3 - another compiler finds what was compiled%s\n", lost ? "not " : "",
	       !remote ? " # SKIP the compiler is in here" : dir < 0 ? " # SKIP no directory (-d)" : "");
	return !run_more() || bad || loop || lost;
}
