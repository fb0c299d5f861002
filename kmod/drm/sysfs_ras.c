// SPDX-License-Identifier: GPL-2.0-only
/*
 * ras/: which blocks are protected against memory errors, and their error counters. Names
 * and formats are those of amdgpu; the counters are in gpu_device.ras_errors. Pages are
 * never retired.
 */
#include <linux/bits.h>
#include <linux/device.h>
#include <linux/sysfs.h>

#include "../compat/sysfs.h"
#include "../gpu/device.h"
#include "../model/target.h"
#include "drm_int.h"

#define RAS_XGMI_WAFL	7		/* amdgpu's number of the block */
#define RAS_POISON	BIT(3)		/* schema: bad data is marked instead of fatal */
#define RAS_NO_EVENT	BIT_ULL(63)

static const struct gpu_device *dev_to_gdev(struct device *dev)
{
	return dev_get_drvdata(dev);
}

/*
 * With ECC in memory and SRAM, all blocks that the driver knows are protected. Newer
 * drivers leave out XGMI if there is no hive. (On a real MI300X, firmware tells which.)
 */
u32 vdrm_ras_features(const struct gpu_target *t)
{
	u32 blocks = GENMASK(COMPAT_RAS_BLOCKS - 1, 0);

	return !t->ras ? 0 : COMPAT_RAS_XGMI_LINK ? blocks & ~BIT(RAS_XGMI_WAFL) : blocks;
}

static ssize_t features_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "feature mask: 0x%x\n",
			  vdrm_ras_features(dev_to_gdev(dev)->target));
}

static ssize_t version_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "table version: 0x%x\n",
			  dev_to_gdev(dev)->target->ras->table_version);
}

static ssize_t schema_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "schema: 0x%lx\n", RAS_POISON);
}

static ssize_t event_state_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	static const char * const events[GPU_RAS_EVENTS] = {
		[GPU_RAS_FATAL] = "Fatal Error",
		[GPU_RAS_CREATION] = "Poison Creation",
		[GPU_RAS_CONSUMPTION] = "Poison Consumption",
	};
	const struct gpu_inject *in = &dev_to_gdev(dev)->inject;
	unsigned int i;
	int at = sysfs_emit(buf, "current seqno: %llu\n", (u64)atomic64_read(&in->seqno));

	for (i = 0; i < ARRAY_SIZE(events); i++)
		at += sysfs_emit_at(buf, at, "%s: count:%llu, last_seqno:%llu\n", events[i],
				    (u64)atomic64_read(&in->events[i].count),
				    (u64)atomic64_read(&in->events[i].last) ?: RAS_NO_EVENT);
	return at;
}

static DEVICE_ATTR_RO(features);
static DEVICE_ATTR_RO(version);
static DEVICE_ATTR_RO(schema);
static DEVICE_ATTR_RO(event_state);

/* One line for each retired page, of which there are none. */
static ssize_t gpu_vram_bad_pages_show(struct device *dev, struct device_attribute *attr,
				       char *buf)
{
	return 0;
}
static DEVICE_ATTR_RO(gpu_vram_bad_pages);

/* ----------------------------------------------------------------- counters */

/* One of the files NAME_err_count, or aca_NAME. */
struct vdrm_ras_attr {
	struct device_attribute attr;
	enum gpu_ras_counter which;
	bool aca;
};

static struct vdrm_ras_attr *to_ras_attr(struct device_attribute *attr)
{
	return container_of(attr, struct vdrm_ras_attr, attr);
}

static ssize_t counter_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct vdrm_ras_attr *ras = to_ras_attr(attr);
	const atomic64_t *errors = dev_to_gdev(dev)->ras_errors[ras->which];
	int at;

	at = sysfs_emit(buf, "ue: %llu\nce: %llu\n", atomic64_read(&errors[GPU_RAS_UE]),
			atomic64_read(&errors[GPU_RAS_CE]));
	/* Among the older (non-ACA) blocks, only memory controllers have deferred errors. */
	if (COMPAT_RAS_DEFERRED && (ras->aca || ras->which == GPU_RAS_UMC))
		at += sysfs_emit_at(buf, at, "de: %llu\n", atomic64_read(&errors[GPU_RAS_DE]));
	return at;
}

#define RAS_FILE(file, counter, is_aca) \
	(&((struct vdrm_ras_attr){ \
		.attr = __ATTR(file, 0444, counter_show, NULL), \
		.which = counter, .aca = is_aca, \
	}).attr.attr)

#if COMPAT_RAS_MCA_NAMES
#define RAS_MCA_FILE(name, counter)	RAS_FILE(mca.name##_err_count, counter, false)
#else
#define RAS_MCA_FILE(name, counter)	RAS_FILE(name##_err_count, counter, false)
#endif

static struct attribute *vdrm_ras_attrs[] = {
	&dev_attr_features.attr,
	&dev_attr_version.attr,
	&dev_attr_schema.attr,
	&dev_attr_event_state.attr,
	&dev_attr_gpu_vram_bad_pages.attr,
	RAS_FILE(umc_err_count, GPU_RAS_UMC, false),
	RAS_FILE(sdma_err_count, GPU_RAS_SDMA, false),
	RAS_FILE(gfx_err_count, GPU_RAS_GFX, false),
	RAS_FILE(mmhub_err_count, GPU_RAS_MMHUB, false),
	RAS_FILE(pcie_bif_err_count, GPU_RAS_PCIE_BIF, false),
	RAS_FILE(hdp_err_count, GPU_RAS_HDP, false),
	RAS_MCA_FILE(mp0, GPU_RAS_MCA_MP0),
	RAS_MCA_FILE(mp1, GPU_RAS_MCA_MP1),
	RAS_MCA_FILE(mpio, GPU_RAS_MCA_MPIO),
	RAS_FILE(aca_umc, GPU_RAS_UMC, true),
	RAS_FILE(aca_sdma, GPU_RAS_SDMA, true),
	RAS_FILE(aca_gfx, GPU_RAS_GFX, true),
	RAS_FILE(aca_mmhub, GPU_RAS_MMHUB, true),
	RAS_FILE(aca_vcn, GPU_RAS_VCN, true),
	RAS_FILE(aca_jpeg, GPU_RAS_JPEG, true),
	NULL
};

/* Without ECC the directory does not exist. */
static umode_t vdrm_ras_visible(struct kobject *kobj, struct attribute *attr, int n)
{
	struct device_attribute *dattr = container_of(attr, struct device_attribute, attr);
	const struct gpu_target_ras *ras = dev_to_gdev(kobj_to_dev(kobj))->target->ras;

	if (dattr == &dev_attr_version || dattr == &dev_attr_schema)
		return COMPAT_RAS_SCHEMA ? attr->mode : 0;
	if (dattr == &dev_attr_event_state)
		return COMPAT_RAS_EVENTS ? attr->mode : 0;
	if (dattr->show != counter_show)
		return attr->mode;
	return ras->aca == to_ras_attr(dattr)->aca &&
	       ras->counters & BIT(to_ras_attr(dattr)->which) ? attr->mode : 0;
}

const struct attribute_group vdrm_ras_group = {
	.name = "ras",
	.attrs = vdrm_ras_attrs,
	.is_visible = vdrm_ras_visible,
};
