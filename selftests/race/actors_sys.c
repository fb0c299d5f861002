// SPDX-License-Identifier: MIT
/* Who looks at the driver from outside, and who takes the GPU away. */
#include <fcntl.h>
#include <string.h>

#include "race.h"

#define DEBUGFS	"/sys/kernel/debug/kfd/"
#define KFD	"/sys/devices/virtual/kfd/kfd/"

static void step_debugfs(struct race_task *t)
{
	static const char * const names[] = {
		DEBUGFS "processes", DEBUGFS "mqds", DEBUGFS "hqds", DEBUGFS "rls",
		DEBUGFS "mem_limit", DEBUGFS "counters", DEBUGFS "bo_count",
		DEBUGFS "0/queues", DEBUGFS "0/stats",
	};

	race_read(names[race_random(t) % (sizeof(names) / sizeof(names[0]))]);
}

/* The process's directory in sysfs, and the topology. */
static void step_procfs(struct race_task *t)
{
	static const char * const formats[] = {
		KFD "proc/%/pasid", KFD "proc/%/queues/0/size", KFD "proc/%/queues/1/gpuid",
	};
	static const char * const names[] = { "vram_", "sdma_", "stats_", "counters_" };
	const char *name = names[race_random(t) % 4];
	char path[128], *p = path;

	race_path(path, sizeof(path), formats[race_random(t) % 3], t->world->pid);
	race_read(path);
	race_path(path, sizeof(path), KFD "proc/%/", t->world->pid);
	p += strlen(path);
	strcpy(p, name);
	p += strlen(p);
	race_path(p, 16, "%", t->world->machine->gpu_id);
	if (*name == 's' && name[1] == 't')
		strcat(p, race_random(t) & 1 ? "/evicted_ms" : "/cu_occupancy");
	else if (*name == 'c')
		strcat(p, "/faults");
	race_read(path);
	race_read(KFD "topology/nodes/1/properties");
}

/* The card's own files, which the DRM device has, and its activity. */
static void step_sysfs(struct race_task *t)
{
	static const char * const names[] = {
		"/sys/class/drm/card0/device/gpu_busy_percent",
		"/sys/class/drm/card0/device/mem_info_vram_used",
		"/sys/class/drm/card0/device/pp_dpm_sclk",
		"/sys/class/drm/card0/device/gpu_metrics",
	};

	race_read(names[race_random(t) % 4]);
}

/* As a machine does that goes to sleep, while user space runs. */
static void step_suspend(struct race_task *t)
{
	char path[64];

	strcpy(path, t->world->machine->debugfs);
	strcat(path, "/suspend");
	race_write(path, "1");
	race_sleep_us(race_random(t) % 2000);
	race_write(path, "0");
	race_sleep_us(race_random(t) % 1000);
}

static bool prepare_bind(struct race_task *t)
{
	return t->world->machine->pci[0];
}

static void step_bind(struct race_task *t)
{
	race_write("/sys/bus/pci/drivers/amdgpu/unbind", t->world->machine->pci);
	race_sleep_us(race_random(t) % 2000);
	race_write("/sys/bus/pci/drivers/amdgpu/bind", t->world->machine->pci);
	race_sleep_us(race_random(t) % 5000);
}

const struct race_actor race_sys_actors[] = {
	{ .name = "debugfs", .step = step_debugfs },
	{ .name = "procfs", .step = step_procfs },
	{ .name = "sysfs", .step = step_sysfs },
	{ .name = "suspend", .step = step_suspend, .global = true },
	{ .name = "bind", .prepare = prepare_bind, .step = step_bind, .global = true },
	{ 0 }
};
