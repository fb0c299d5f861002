/* SPDX-License-Identifier: MIT */
/* One wave on a small flat memory, for tests of single instructions and programs. */
#ifndef RIG_H
#define RIG_H

#include "isa_int.h"

#define RIG_VA		0x100000ull	/* where the memory lies for the wave */
#define RIG_BYTES	0x10000u
#define RIG_CODE	0x0u		/* offset of the code */
#define RIG_DATA	0x8000u		/* offset of the data */

struct rig {
	struct isa_cu cu;
	struct isa_wg wg;
	struct isa_wave *w;
	struct isa_exit ex;
	u8 *mem;
	u32 *vgprs;
	void *wave_mem, *icache_mem;
	u8 *lds;
	u64 clock;
};

/* @rows: VGPR rows; the lanes are SSE2's unless @lane names another build. */
void rig_init(struct rig *r, const char *target, const char *lane, u32 rows);
/* Whether this CPU can run the lane build. */
bool rig_can(const char *lane);
void rig_fini(struct rig *r);
/* A fresh wave at RIG_CODE with @words loaded there, all lanes on. */
void rig_load(struct rig *r, const u32 *words, u32 n);
enum isa_stop rig_run(struct rig *r, u32 budget);

/* TAP */
void tap_ok(int ok, const char *fmt, ...) __attribute__((__format__(printf, 2, 3)));
int tap_done(void);

#endif /* RIG_H */
