/* SPDX-License-Identifier: MIT */
/*
 * Where waves of a queue are saved, and of what size: libhsakmt computes the same, and
 * kernels from 6.12 on want exactly that.
 */
#ifndef QUEUE_AREA_H
#define QUEUE_AREA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/utsname.h>

/* Lines of the node's properties in topology */
struct queue_shape {
	long long simds, simds_per_cu, arrays, arrays_per_engine, gfx, xccs;
};

struct queue_area {
	uint32_t ctl, cwsr;	/* ctl_stack_size, ctx_save_restore_size: of each XCC */
	uint32_t xccs;
	size_t bytes;		/* of the buffer for all XCCs */
};

/* Registers, LDS and hardware state of all CUs */
static inline struct queue_area queue_area_of(const struct queue_shape *s)
{
	uint64_t cus = s->simds / s->simds_per_cu, waves;
	uint64_t most = s->arrays / s->arrays_per_engine * 512;
	bool rdna = s->gfx >= 100000;
	uint64_t vgprs = s->gfx >= 110000 ? 0x60000 :
			 s->gfx == 90006 || s->gfx == 100300 ? 0x40000 : 0x80000;
	uint64_t lds = s->gfx == 90500 ? 0x28000 : 0x10000;
	/* Topology does not name them before Linux 6.5; then all are one. */
	long long xccs = s->xccs < 1 ? 1 : s->xccs;
	struct queue_area a;

	cus /= xccs;
	most /= xccs;
	waves = cus * 40;
	waves = rdna ? cus * 32 : waves < most ? waves : most;
	a.ctl = (40 + waves * (rdna ? 12 : 8) + 8 + 4095) & ~4095u;
	if (s->gfx / 10000 == 10 && a.ctl > 0x7000)
		a.ctl = 0x7000;
	a.cwsr = a.ctl + cus * (vgprs + 0x4000 + lds + 0x1000);
	a.xccs = xccs;
	a.bytes = ((a.cwsr + waves * 32) * xccs + 4095) & ~4095ul;
	return a;
}

/* Does the driver look at the buffers of queues? */
static inline bool queue_buffers_checked(void)
{
	FILE *f = fopen("/sys/module/vkfd/parameters/queue_buffers", "r");
	int want = -1, major = 0, minor = 0;
	struct utsname u;

	if (f) {
		if (fscanf(f, "%d", &want) != 1)
			want = -1;
		fclose(f);
	}
	if (want >= 0 || uname(&u) || sscanf(u.release, "%d.%d", &major, &minor) != 2)
		return want == 1;
	return major > 6 || (major == 6 && minor >= 12);
}

#endif /* QUEUE_AREA_H */
