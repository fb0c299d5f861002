// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/config/vkfd: a directory is the description of a GPU. Its files change what
 * it will be; "plug" makes it and takes it away:
 *
 *	mkdir /sys/kernel/config/vkfd/one && cd /sys/kernel/config/vkfd/one
 *	echo mi210 > board; echo 4096 > vram_mb; echo 1 > plug
 *
 * What a plugged GPU is cannot be changed (EBUSY). What makes no sense is EINVAL and
 * changes nothing. rmdir unplugs, as configfs has no way to refuse it. A directory holds
 * the module.
 */
#include <linux/configfs.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "gpu/device.h"
#include "gpu/model.h"
#include "model/fabric.h"
#include "plug.h"

/* Tools look at the low 10 bits of a firmware's version. */
#define MAX_FW		1023

/**
 * struct plug_item - a description
 * @item: its directory
 * @board: the name that @model is of, for who reads it
 * @model: what the GPU will be, or is
 * @vram_mb: its memory
 * @unique_id: 0: the module chooses
 * @hive: the id of the hive that it will be in, or is; 0: in none
 * @xgmi_links: to each other member of it
 * @engine: who will run its waves, or does
 * @gdev: the GPU while there is one
 *
 * All but @item under plug_lock.
 */
struct plug_item {
	struct config_item item;
	char board[16];
	struct gpu_model model;
	u32 vram_mb;
	u64 unique_id;
	u64 hive;
	u32 xgmi_links;
	enum gpu_engine engine;
	struct gpu_device *gdev;
};

/*
 * Outside of all locks of ours and of the PCI core's; inside configfs's, which calls
 * with its own held.
 */
static DEFINE_MUTEX(plug_lock);

static struct plug_item *to_plug(struct config_item *item)
{
	return container_of(item, struct plug_item, item);
}

/* ---------------------------------------------------------------- attributes */

/* What a write has to change: called with plug_lock, @p is not plugged. */
typedef int (*plug_set)(struct plug_item *p, u64 value);

static ssize_t plug_store(struct config_item *item, const char *page, size_t count, u64 max,
			  plug_set set)
{
	struct plug_item *p = to_plug(item);
	u64 value;
	int ret;

	if (kstrtoull(page, 0, &value) || value > max)
		return -EINVAL;
	mutex_lock(&plug_lock);
	ret = p->gdev ? -EBUSY : set(p, value);
	mutex_unlock(&plug_lock);
	return ret ?: count;
}

static ssize_t plug_show(struct config_item *item, char *page, const char *format, size_t offset)
{
	ssize_t len;

	mutex_lock(&plug_lock);
	len = sysfs_emit(page, format, *(u32 *)((char *)to_plug(item) + offset));
	mutex_unlock(&plug_lock);
	return len;
}

/* Who writes a name gets EINVAL, which does not say what would be right. */
static int refuse_board(const char *name, size_t len)
{
	char names[320];

	gpu_model_names(names, sizeof(names));
	pr_info("configfs: there is no GPU \"%.*s\", but %s\n", (int)len, name, names);
	return -EINVAL;
}

/* A board brings all of its figures with it. */
static int set_board(struct plug_item *p, const char *name, size_t len)
{
	struct gpu_model *m;
	int ret;

	if (len >= sizeof(p->board))
		return -EINVAL;
	m = kzalloc(sizeof(*m), GFP_KERNEL);
	if (!m)
		return -ENOMEM;
	ret = gpu_model_find(name, len, m);
	if (!ret) {
		p->model = *m;
		p->vram_mb = m->vram_bytes ? m->vram_bytes >> 20 : VKFD_TARGET_VRAM_MB;
		p->hive = 0;
		p->xgmi_links = m->target.fabric ? m->target.fabric->links : 0;
		memcpy(p->board, name, len);
		p->board[len] = '\0';
	}
	kfree(m);
	return ret == -ENOENT ? refuse_board(name, len) : ret;
}

static ssize_t plug_board_store(struct config_item *item, const char *page, size_t count)
{
	struct plug_item *p = to_plug(item);
	size_t len = strcspn(page, "\n");
	int ret;

	/* One line, all of which the kernel got */
	if (strlen(page) != count || (page[len] && page[len + 1]))
		return -EINVAL;
	mutex_lock(&plug_lock);
	ret = p->gdev ? -EBUSY : set_board(p, page, len);
	mutex_unlock(&plug_lock);
	return ret ?: count;
}

static ssize_t plug_board_show(struct config_item *item, char *page)
{
	ssize_t len;

	mutex_lock(&plug_lock);
	len = sysfs_emit(page, "%s\n", to_plug(item)->board);
	mutex_unlock(&plug_lock);
	return len;
}

static int set_vram_mb(struct plug_item *p, u64 value)
{
	if (value < VKFD_MIN_VRAM_MB)
		return -EINVAL;
	p->vram_mb = value;
	return 0;
}

static ssize_t plug_vram_mb_store(struct config_item *item, const char *page, size_t count)
{
	return plug_store(item, page, count, VKFD_MAX_VRAM_MB, set_vram_mb);
}

static ssize_t plug_vram_mb_show(struct config_item *item, char *page)
{
	return plug_show(item, page, "%u\n", offsetof(struct plug_item, vram_mb));
}

static int set_cus(struct plug_item *p, u64 value)
{
	u32 before = p->model.target.cu_count;
	int ret;

	p->model.target.cu_count = value;
	ret = gpu_model_settle(&p->model.target);
	if (ret)
		p->model.target.cu_count = before;
	return ret;
}

static ssize_t plug_cus_store(struct config_item *item, const char *page, size_t count)
{
	return plug_store(item, page, count, U32_MAX, set_cus);
}

static ssize_t plug_cus_show(struct config_item *item, char *page)
{
	return plug_show(item, page, "%u\n", offsetof(struct plug_item, model.target.cu_count));
}

static int set_mec_fw(struct plug_item *p, u64 value)
{
	p->model.target.mec_fw = value;
	return 0;
}

static ssize_t plug_mec_fw_store(struct config_item *item, const char *page, size_t count)
{
	return plug_store(item, page, count, MAX_FW, set_mec_fw);
}

static ssize_t plug_mec_fw_show(struct config_item *item, char *page)
{
	return plug_show(item, page, "%u\n", offsetof(struct plug_item, model.target.mec_fw));
}

static int set_sdma_fw(struct plug_item *p, u64 value)
{
	p->model.target.sdma_fw = value;
	return 0;
}

static ssize_t plug_sdma_fw_store(struct config_item *item, const char *page, size_t count)
{
	return plug_store(item, page, count, MAX_FW, set_sdma_fw);
}

static ssize_t plug_sdma_fw_show(struct config_item *item, char *page)
{
	return plug_show(item, page, "%u\n", offsetof(struct plug_item, model.target.sdma_fw));
}

static int set_unique_id(struct plug_item *p, u64 value)
{
	p->unique_id = value;
	return 0;
}

static ssize_t plug_unique_id_store(struct config_item *item, const char *page, size_t count)
{
	return plug_store(item, page, count, U64_MAX, set_unique_id);
}

static ssize_t plug_unique_id_show(struct config_item *item, char *page)
{
	struct plug_item *p = to_plug(item);
	ssize_t len;

	mutex_lock(&plug_lock);
	len = sysfs_emit(page, "0x%016llx\n", p->gdev ? p->gdev->unique_id : p->unique_id);
	mutex_unlock(&plug_lock);
	return len;
}

/* What has no fabric has no XGMI links. */
static int set_hive(struct plug_item *p, u64 value)
{
	if (value && !p->model.target.fabric)
		return -EINVAL;
	p->hive = value;
	return 0;
}

static ssize_t plug_hive_store(struct config_item *item, const char *page, size_t count)
{
	return plug_store(item, page, count, U64_MAX, set_hive);
}

static ssize_t plug_hive_show(struct config_item *item, char *page)
{
	ssize_t len;

	mutex_lock(&plug_lock);
	len = sysfs_emit(page, "%llu\n", to_plug(item)->hive);
	mutex_unlock(&plug_lock);
	return len;
}

static int set_xgmi_links(struct plug_item *p, u64 value)
{
	if (!value || !p->model.target.fabric)
		return -EINVAL;
	p->xgmi_links = value;
	return 0;
}

static ssize_t plug_xgmi_links_store(struct config_item *item, const char *page, size_t count)
{
	return plug_store(item, page, count, GPU_FABRIC_LINKS_MAX, set_xgmi_links);
}

static ssize_t plug_xgmi_links_show(struct config_item *item, char *page)
{
	return plug_show(item, page, "%u\n", offsetof(struct plug_item, xgmi_links));
}

static ssize_t plug_engine_store(struct config_item *item, const char *page, size_t count)
{
	struct plug_item *p = to_plug(item);
	int engine = strlen(page) == count ? sysfs_match_string(gpu_engine_names, page) : -EINVAL;
	int ret = 0;

	if (engine < 0)
		return engine;
	mutex_lock(&plug_lock);
	if (p->gdev)
		ret = -EBUSY;
	else
		p->engine = engine;
	mutex_unlock(&plug_lock);
	return ret ?: count;
}

static ssize_t plug_engine_show(struct config_item *item, char *page)
{
	ssize_t len;

	mutex_lock(&plug_lock);
	len = sysfs_emit(page, "%s\n", gpu_engine_names[to_plug(item)->engine]);
	mutex_unlock(&plug_lock);
	return len;
}

/* KFD's id, by which the topology knows it; 0 while it is not plugged */
static ssize_t plug_gpu_id_show(struct config_item *item, char *page)
{
	struct plug_item *p = to_plug(item);
	ssize_t len;

	mutex_lock(&plug_lock);
	len = sysfs_emit(page, "%u\n", p->gdev ? p->gdev->gpu_id : 0);
	mutex_unlock(&plug_lock);
	return len;
}

/* -------------------------------------------------------------- plug, unplug */

static int plug_locked(struct plug_item *p)
{
	const struct gpu_hive hive = { .id = p->hive, .links = p->xgmi_links };

	lockdep_assert_held(&plug_lock);
	if (p->gdev)
		return 0;
	return vkfd_plug(&p->model.target, (u64)p->vram_mb << 20, p->unique_id, p->engine,
			 hive.id ? &hive : NULL, &p->gdev);
}

static void unplug_locked(struct plug_item *p)
{
	lockdep_assert_held(&plug_lock);
	if (p->gdev)
		vkfd_unplug(p->gdev);
	p->gdev = NULL;
}

static ssize_t plug_plug_store(struct config_item *item, const char *page, size_t count)
{
	struct plug_item *p = to_plug(item);
	unsigned int value;
	int ret = 0;

	if (kstrtouint(page, 0, &value) || value > 1)
		return -EINVAL;
	mutex_lock(&plug_lock);
	if (value)
		ret = plug_locked(p);
	else
		unplug_locked(p);
	mutex_unlock(&plug_lock);
	return ret ?: count;
}

static ssize_t plug_plug_show(struct config_item *item, char *page)
{
	ssize_t len;

	mutex_lock(&plug_lock);
	len = sysfs_emit(page, "%d\n", !!to_plug(item)->gdev);
	mutex_unlock(&plug_lock);
	return len;
}

/* --------------------------------------------------------------- directories */

CONFIGFS_ATTR(plug_, board);
CONFIGFS_ATTR(plug_, cus);
CONFIGFS_ATTR(plug_, engine);
CONFIGFS_ATTR_RO(plug_, gpu_id);
CONFIGFS_ATTR(plug_, hive);
CONFIGFS_ATTR(plug_, mec_fw);
CONFIGFS_ATTR(plug_, plug);
CONFIGFS_ATTR(plug_, sdma_fw);
CONFIGFS_ATTR(plug_, unique_id);
CONFIGFS_ATTR(plug_, vram_mb);
CONFIGFS_ATTR(plug_, xgmi_links);

static struct configfs_attribute *plug_attrs[] = {
	&plug_attr_board,
	&plug_attr_cus,
	&plug_attr_engine,
	&plug_attr_gpu_id,
	&plug_attr_hive,
	&plug_attr_mec_fw,
	&plug_attr_plug,
	&plug_attr_sdma_fw,
	&plug_attr_unique_id,
	&plug_attr_vram_mb,
	&plug_attr_xgmi_links,
	NULL
};

static void plug_release(struct config_item *item)
{
	kfree(to_plug(item));
}

static struct configfs_item_operations plug_item_ops = {
	.release = plug_release,
};

static const struct config_item_type plug_item_type = {
	.ct_owner = THIS_MODULE,
	.ct_item_ops = &plug_item_ops,
	.ct_attrs = plug_attrs,
};

static struct config_item *plug_make(struct config_group *group, const char *name)
{
	struct plug_item *p = kzalloc(sizeof(*p), GFP_KERNEL);
	int ret;

	if (!p)
		return ERR_PTR(-ENOMEM);
	ret = set_board(p, "gfx90a", strlen("gfx90a"));
	if (ret) {
		kfree(p);
		return ERR_PTR(ret);
	}
	config_item_init_type_name(&p->item, name, &plug_item_type);
	return &p->item;
}

/* No file of it can be written any more: configfs has seen to that. */
static void plug_drop(struct config_group *group, struct config_item *item)
{
	mutex_lock(&plug_lock);
	unplug_locked(to_plug(item));
	mutex_unlock(&plug_lock);
	config_item_put(item);
}

static struct configfs_group_operations plug_group_ops = {
	.make_item = plug_make,
	.drop_item = plug_drop,
};

static const struct config_item_type plug_group_type = {
	.ct_owner = THIS_MODULE,
	.ct_group_ops = &plug_group_ops,
};

static struct configfs_subsystem plug_subsystem = {
	.su_group = {
		.cg_item = {
			.ci_namebuf = "vkfd",
			.ci_type = &plug_group_type,
		},
	},
};

int vkfd_configfs_init(void)
{
	config_group_init(&plug_subsystem.su_group);
	mutex_init(&plug_subsystem.su_mutex);
	return configfs_register_subsystem(&plug_subsystem);
}

void vkfd_configfs_fini(void)
{
	configfs_unregister_subsystem(&plug_subsystem);
	mutex_destroy(&plug_subsystem.su_mutex);
}
