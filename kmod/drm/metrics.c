// SPDX-License-Identifier: GPL-2.0-only
/*
 * gpu_metrics: a binary table, in the version that the real driver provides for each card.
 * Offsets and units are those of amdgpu's documentation. As there, a field that a card
 * (or ours) does not have is all ones.
 */
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/math64.h>
#include <linux/pci.h>
#include <linux/string.h>

#include "../gpu/device.h"
#include "../model/target.h"
#include "pm.h"

struct vdrm_metrics_header {
	u16 structure_size;
	u8 format_revision;
	u8 content_revision;
};

/* The fields at the start that all versions have in common. */
struct vdrm_metrics_temps {
	u16 edge, hotspot, mem, vrgfx, vrsoc, vrmem;
	u16 gfx_activity, umc_activity, mm_activity;
	u16 socket_power;
};

struct vdrm_metrics_clocks {
	u16 gfxclk, socclk, uclk, vclk0, dclk0, vclk1, dclk1;
};

struct vdrm_metrics_v1_0 {
	struct vdrm_metrics_header header;
	u64 system_clock_counter;
	struct vdrm_metrics_temps temps;
	u32 energy_accumulator;
	struct vdrm_metrics_clocks average, current_clk;
	u32 throttle_status;
	u16 fan_speed;
	u8 pcie_link_width;
	u8 pcie_link_speed;
};

struct vdrm_metrics_v1_3 {
	struct vdrm_metrics_header header;
	struct vdrm_metrics_temps temps;
	u64 energy_accumulator;		/* 2^-16 J */
	u64 system_clock_counter;	/* ns */
	struct vdrm_metrics_clocks average, current_clk;
	u32 throttle_status;
	u16 fan_speed;
	u16 pcie_link_width;
	u16 pcie_link_speed;		/* 0.1 GT/s */
	u16 padding;
	u32 gfx_activity_acc, mem_activity_acc;
	u16 temperature_hbm[4];
	u64 firmware_timestamp;		/* 10 ns */
	u16 voltage_soc, voltage_gfx, voltage_mem;
	u16 padding1;
	u64 indep_throttle_status;
};

/* Of an APU: temperatures in 0.01 degrees, power in mW (smu_v14_0_0_ppt.c) */
struct vdrm_metrics_v3_0 {
	struct vdrm_metrics_header header;
	u16 temperature_gfx, temperature_soc, temperature_core[16], temperature_skin;
	u16 gfx_activity, vcn_activity, ipu_activity[8], core_c0_activity[16];
	u16 dram_reads, dram_writes, ipu_reads, ipu_writes;
	u64 system_clock_counter;	/* ns */
	u32 socket_power;
	u16 ipu_power;
	u32 apu_power, gfx_power, dgpu_power, all_core_power;
	u16 core_power[16], sys_power, stapm_power_limit, current_stapm_power_limit;
	u16 gfxclk, socclk, vpeclk, ipuclk, fclk, vclk, uclk, mpipuclk;
	u16 coreclk[16], core_maxfreq, gfx_maxfreq;
	u32 throttle_residency[7];
	u32 time_filter_alphavalue;
};

static_assert(sizeof(struct vdrm_metrics_v1_0) == 80);
static_assert(sizeof(struct vdrm_metrics_v1_3) == 120);
static_assert(sizeof(struct vdrm_metrics_v3_0) == 264);

static void put_temps(struct vdrm_metrics_temps *t, const struct vdrm_sensors *s)
{
	t->edge = s->edge_mc / 1000;
	t->hotspot = s->junction_mc / 1000;
	t->mem = s->mem_mc / 1000;
	t->gfx_activity = s->busy[VDRM_GFX];
	t->umc_activity = s->busy[VDRM_MEM];
	t->mm_activity = 0;
	t->socket_power = div_u64(s->microwatts, USEC_PER_SEC);
}

static void put_clocks(struct vdrm_metrics_clocks *c, const struct vdrm_sensors *s)
{
	c->gfxclk = s->mhz[VDRM_SCLK];
	c->socclk = s->mhz[VDRM_SOCCLK];
	c->uclk = s->mhz[VDRM_MCLK];
	c->vclk0 = 0;
	c->dclk0 = 0;
}

/* Speed of the link of @dev in 0.1 GT/s; all ones if it has no link. */
static u16 link_speed(struct device *dev, u16 *width)
{
	static const u16 speeds[] = { 0, 25, 50, 80, 160, 320, 640 };
	u16 status;

	*width = U16_MAX;
	if (!dev_is_pci(dev) ||
	    pcie_capability_read_word(to_pci_dev(dev), PCI_EXP_LNKSTA, &status))
		return U16_MAX;
	*width = (status & PCI_EXP_LNKSTA_NLW) >> PCI_EXP_LNKSTA_NLW_SHIFT;
	status &= PCI_EXP_LNKSTA_CLS;
	return status < ARRAY_SIZE(speeds) ? speeds[status] : U16_MAX;
}

/*
 * Throttlers as the firmware numbers them: Vega 20 (smu11_driver_if.h) and Aldebaran
 * (smu13_driver_if_aldebaran.h). The former's temperature is that of the hot spot.
 */
static const struct {
	unsigned int throttler, vega20, aldebaran;
} throttle_rows[] = {
	{ GPU_THROTTLE_POWER,		13, 0 },
	{ GPU_THROTTLE_TEMP_GPU,	2, 6 },
	{ GPU_THROTTLE_TEMP_MEM,	3, 7 },
};

static u32 throttle_status(const struct vdrm_sensors *s, bool aldebaran)
{
	unsigned int i;
	u32 status = 0;

	for (i = 0; i < ARRAY_SIZE(throttle_rows); i++)
		if (s->throttle & BIT_ULL(throttle_rows[i].throttler))
			status |= BIT(aldebaran ? throttle_rows[i].aldebaran :
						  throttle_rows[i].vega20);
	return status;
}

static ssize_t metrics_v1_0(struct vdrm_pm *pm, const struct vdrm_sensors *s, struct device *dev,
			    void *buf)
{
	struct vdrm_metrics_v1_0 *m = buf;
	u16 width, speed = link_speed(dev, &width);

	memset(m, 0xff, sizeof(*m));
	m->header = (struct vdrm_metrics_header){ sizeof(*m), 1, 0 };
	m->system_clock_counter = ktime_get_boottime_ns();
	put_temps(&m->temps, s);
	put_clocks(&m->average, s);
	put_clocks(&m->current_clk, s);
	m->throttle_status = throttle_status(s, false);
	m->fan_speed = 0;
	m->pcie_link_width = width;
	m->pcie_link_speed = min_t(u16, speed, U8_MAX);
	return sizeof(*m);
}

static ssize_t metrics_v1_3(struct vdrm_pm *pm, const struct vdrm_sensors *s, struct device *dev,
			    void *buf)
{
	struct vdrm_metrics_v1_3 *m = buf;
	unsigned int i;

	memset(m, 0xff, sizeof(*m));
	m->header = (struct vdrm_metrics_header){ sizeof(*m), 1, 3 };
	put_temps(&m->temps, s);
	m->energy_accumulator = mul_u64_u32_div(s->microjoules, 1 << 16, USEC_PER_SEC);
	m->system_clock_counter = ktime_get_boottime_ns();
	put_clocks(&m->average, s);
	put_clocks(&m->current_clk, s);
	m->throttle_status = throttle_status(s, true);
	m->fan_speed = 0;
	m->pcie_link_speed = link_speed(dev, &m->pcie_link_width);
	/* Percent of activity, accumulated every millisecond. */
	m->gfx_activity_acc = div_u64(s->busy_ns[VDRM_GFX], NSEC_PER_MSEC / 100);
	m->mem_activity_acc = div_u64(s->busy_ns[VDRM_MEM], NSEC_PER_MSEC / 100);
	for (i = 0; i < ARRAY_SIZE(m->temperature_hbm); i++)
		m->temperature_hbm[i] = s->mem_mc / 1000;
	m->firmware_timestamp = div_u64(ktime_get_boottime_ns(), 10);
	m->voltage_gfx = s->millivolts;
	m->indep_throttle_status = s->throttle;
	return sizeof(*m);
}

/* The CPU's cores, and memory that others use as well, are not this GPU's: all ones. */
static ssize_t metrics_v3_0(struct vdrm_pm *pm, const struct vdrm_sensors *s, struct device *dev,
			    void *buf)
{
	const struct gpu_target_clock *sclk = &pm->model->sclk;
	struct vdrm_metrics_v3_0 *m = buf;

	memset(m, 0xff, sizeof(*m));
	m->header = (struct vdrm_metrics_header){ sizeof(*m), 3, 0 };
	m->temperature_gfx = s->edge_mc / 10;
	m->temperature_soc = s->junction_mc / 10;
	m->gfx_activity = s->busy[VDRM_GFX];
	m->vcn_activity = 0;
	m->system_clock_counter = ktime_get_boottime_ns();
	m->socket_power = div_u64(s->microwatts, USEC_PER_MSEC);
	m->apu_power = m->socket_power;
	m->gfx_power = m->socket_power;
	m->dgpu_power = 0;
	m->gfxclk = s->mhz[VDRM_SCLK];
	m->socclk = s->mhz[VDRM_SOCCLK];
	m->fclk = s->mhz[VDRM_FCLK];
	m->uclk = s->mhz[VDRM_MCLK];
	m->vclk = 0;
	m->gfx_maxfreq = sclk->mhz[sclk->num - 1];
	return sizeof(*m);
}

static ssize_t (* const metrics[])(struct vdrm_pm *pm, const struct vdrm_sensors *s,
				   struct device *dev, void *buf) = {
	[GPU_METRICS_V1_0] = metrics_v1_0,
	[GPU_METRICS_V1_3] = metrics_v1_3,
	[GPU_METRICS_V3_0] = metrics_v3_0,
};

ssize_t vdrm_metrics(struct vdrm_pm *pm, struct device *dev, char *buf)
{
	struct vdrm_sensors s;

	vdrm_pm_sense(pm, &s);
	return metrics[pm->model->metrics](pm, &s, dev, buf);
}
