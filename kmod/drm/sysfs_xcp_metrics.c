// SPDX-License-Identifier: GPL-2.0-only
/*
 * xcp/xcp_metrics of a partition, or of the GPU while it has one: a binary table of its XCCs and
 * decoders. Which attributes it has, in which order and units, is that of Linux 7.2
 * (smu_v13_0_6_ppt.h, kgd_pp_interface.h): a header, how many attributes there are, then of each
 * one what it is, and its values, without gaps. What a partition (or ours) does not have is all
 * ones.
 */
#include <linux/build_bug.h>
#include <linux/device.h>
#include <linux/math64.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "../compat/sysfs.h"
#include "../gpu/part.h"
#include "../model/partition.h"
#include "drm.h"
#include "drm_int.h"

/* AMDGPU_METRICS_UNIT_*, AMDGPU_METRICS_TYPE_* */
enum { UNIT_NONE = 0, UNIT_MHZ = 1, UNIT_10_NS = 5, UNIT_PERCENT = 10 };
enum { TYPE_U16 = 2, TYPE_U32 = 4, TYPE_U64 = 6 };

enum xcp_attr {
	XCP_GFXCLK, XCP_SOCCLK, XCP_VCLK, XCP_DCLK, XCP_UCLK, XCP_GFX_BUSY, XCP_JPEG_BUSY,
	XCP_VCN_BUSY, XCP_GFX_BUSY_ACC, XCP_BELOW_POWER_ACC, XCP_BELOW_THERMAL_ACC,
	XCP_LOW_USE_ACC, XCP_BELOW_TOTAL_ACC, XCP_ACCUMULATIONS, XCP_TIMESTAMP, XCP_NUM_ATTRS,
};

/* @id: AMDGPU_METRICS_ATTR_ID_*; @count: values, of @bytes each */
static const struct {
	u8 id, unit, type, bytes, count;
} xcp_rows[XCP_NUM_ATTRS] = {
	[XCP_GFXCLK] = { 33, UNIT_MHZ, TYPE_U16, 2, 8 },
	[XCP_SOCCLK] = { 34, UNIT_MHZ, TYPE_U16, 2, 4 },
	[XCP_VCLK] = { 35, UNIT_MHZ, TYPE_U16, 2, 4 },
	[XCP_DCLK] = { 36, UNIT_MHZ, TYPE_U16, 2, 4 },
	[XCP_UCLK] = { 37, UNIT_MHZ, TYPE_U16, 2, 1 },
	[XCP_GFX_BUSY] = { 40, UNIT_PERCENT, TYPE_U32, 4, 8 },
	[XCP_JPEG_BUSY] = { 41, UNIT_PERCENT, TYPE_U16, 2, 40 },
	[XCP_VCN_BUSY] = { 42, UNIT_PERCENT, TYPE_U16, 2, 4 },
	[XCP_GFX_BUSY_ACC] = { 43, UNIT_PERCENT, TYPE_U64, 8, 8 },
	[XCP_BELOW_POWER_ACC] = { 44, UNIT_NONE, TYPE_U64, 8, 8 },
	[XCP_BELOW_THERMAL_ACC] = { 45, UNIT_NONE, TYPE_U64, 8, 8 },
	[XCP_LOW_USE_ACC] = { 46, UNIT_NONE, TYPE_U64, 8, 8 },
	[XCP_BELOW_TOTAL_ACC] = { 47, UNIT_NONE, TYPE_U64, 8, 8 },
	[XCP_ACCUMULATIONS] = { 9, UNIT_NONE, TYPE_U64, 8, 1 },
	[XCP_TIMESTAMP] = { 32, UNIT_10_NS, TYPE_U64, 8, 1 },
};

/* AMDGPU_MAX_JPEG_RINGS_4_0_3: that many values of each decoder, whatever it has */
#define JPEG_RINGS	8

/* Header of a table, and what it consists of */
struct xcp_header {
	u16 structure_size;
	u8 format_revision;
	u8 content_revision;
	s32 attr_count;
};

/*
 * struct xcp_parts - what a partition has
 * @xccs: XCCs; @decoders: video decoders
 */
struct xcp_parts {
	unsigned int xccs, decoders;
};

/* All ones: there is no such value. */
static u64 xcp_value(const struct vdrm_sensors *s, const struct xcp_parts *p, enum xcp_attr attr,
		     unsigned int i)
{
	bool xcc = i < p->xccs, decoder = i < p->decoders;

	switch (attr) {
	case XCP_GFXCLK:
		return xcc ? s->mhz[VDRM_SCLK] : U64_MAX;
	case XCP_SOCCLK:
		return decoder ? s->mhz[VDRM_SOCCLK] : U64_MAX;
	case XCP_VCLK:	/* nothing is ever decoded */
	case XCP_DCLK:
	case XCP_VCN_BUSY:
		return decoder ? 0 : U64_MAX;
	case XCP_JPEG_BUSY:
		return i < p->decoders * JPEG_RINGS ? 0 : U64_MAX;
	case XCP_UCLK:
		return s->mhz[VDRM_MCLK];
	case XCP_GFX_BUSY:
		return xcc ? s->busy[VDRM_GFX] : U64_MAX;
	/* Percent, added up with each accumulation: once every millisecond */
	case XCP_GFX_BUSY_ACC:
		return xcc ? div_u64(s->busy_ns[VDRM_GFX], NSEC_PER_MSEC / 100) : U64_MAX;
	case XCP_ACCUMULATIONS:
		return div_u64(s->up_ns, NSEC_PER_MSEC);
	case XCP_TIMESTAMP:
		return div_u64(ktime_get_boottime_ns(), 10);
	default:
		return U64_MAX;
	}
}

static char *xcp_put(char *at, const struct vdrm_sensors *s, const struct xcp_parts *p,
		     enum xcp_attr attr)
{
	typeof(xcp_rows[0]) *row = &xcp_rows[attr];
	u64 what = (u64)row->unit << 24 | row->type << 20 | row->id << 10 | row->count, value;
	unsigned int i;

	memcpy(at, &what, sizeof(what));
	at += sizeof(what);
	for (i = 0; i < row->count; i++) {
		value = xcp_value(s, p, attr, i);
		memcpy(at, &value, row->bytes);		/* x86 is little endian, as the table is */
		at += row->bytes;
	}
	return at;
}

static ssize_t xcp_metrics_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct vdrm_pm *pm = dev_to_pm(dev);
	const struct gpu_device *gdev = dev_get_drvdata(dev), *whole = gpu_device_whole(gdev);
	struct xcp_parts p = { .xccs = gdev->target->num_xcc };
	struct xcp_header header = { .format_revision = 1, .content_revision = 1,
				     .attr_count = XCP_NUM_ATTRS };
	char *at = buf + sizeof(header);
	struct vdrm_sensors s;
	enum xcp_attr i;

	p.decoders = vdrm_xcp_decoders(whole, READ_ONCE(whole->num_parts) ?: 1);
	vdrm_pm_sense(pm, &s);
	for (i = 0; i < XCP_NUM_ATTRS; i++)
		at = xcp_put(at, &s, &p, i);
	header.structure_size = at - buf;
	memcpy(buf, &header, sizeof(header));
	return at - buf;
}
static DEVICE_ATTR_RO(xcp_metrics);

static struct attribute *xcp_attrs[] = { &dev_attr_xcp_metrics.attr, NULL };

static const struct attribute_group xcp_group = { .name = "xcp", .attrs = xcp_attrs };

static bool xcp_shown(const struct gpu_device *gdev)
{
	return COMPAT_FILE_XCP_METRICS && gpu_part_mode_get(gpu_device_whole(gdev)->target, 0);
}

int vdrm_xcp_metrics_init(const struct gpu_device *gdev, struct device *parent)
{
	return xcp_shown(gdev) ? sysfs_create_group(&parent->kobj, &xcp_group) : 0;
}

void vdrm_xcp_metrics_fini(const struct gpu_device *gdev, struct device *parent)
{
	if (xcp_shown(gdev))
		sysfs_remove_group(&parent->kobj, &xcp_group);
}
