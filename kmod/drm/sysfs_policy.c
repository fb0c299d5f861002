// SPDX-License-Identifier: GPL-2.0-only
/*
 * pm_policy/: how a module saves power, where its management firmware offers a choice.
 * Names, order and format are those of amdgpu (swsmu/smu_cmn.c, amdgpu_smu.c). There is a
 * choice, and it is kept, but nothing that it would change.
 */
#include <linux/device.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "../compat/sysfs.h"
#include "../model/target.h"
#include "drm_int.h"

#define POLICY_WORDS		128	/* what it reads of a write */

struct policy_attr {
	struct device_attribute attr;
	enum gpu_policy which;
	const char * const *names;
	unsigned int levels;
};

static const char * const soc_pstates[] = {
	"soc_pstate_default", "soc_pstate_0", "soc_pstate_1", "soc_pstate_2",
};

/* Power-down of each XGMI link */
static const char * const plpd_modes[] = { "plpd_disallow", "plpd_default", "plpd_optimized" };

static const struct policy_attr *to_policy(const struct device_attribute *attr)
{
	return container_of(attr, struct policy_attr, attr);
}

static ssize_t policy_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct policy_attr *p = to_policy(attr);
	unsigned int i, now = READ_ONCE(dev_to_pm(dev)->policy[p->which]);
	int at = 0;

	for (i = 0; i < p->levels; i++)
		at += sysfs_emit_at(buf, at, "%u : %s%s\n", i, p->names[i], i == now ? "*" : "");
	return at;
}

/* One number, and nothing besides. */
static int parse_level(const char *buf, size_t count, long *level)
{
	char copy[POLICY_WORDS], *rest = copy, *word;
	unsigned int n = 0;

	/* The real driver cuts the last byte off, which is a newline in all that it expects. */
	count = min(count, sizeof(copy));
	memcpy(copy, buf, count);
	copy[count - 1] = '\0';
	while ((word = strsep(&rest, " \n\t"))) {
		if (!*word)
			continue;
		if (n++ || kstrtol(word, 0, level))
			return -EINVAL;
	}
	return n ? 0 : -EINVAL;
}

static ssize_t policy_store(struct device *dev, struct device_attribute *attr, const char *buf,
			    size_t count)
{
	const struct policy_attr *p = to_policy(attr);
	long level;

	if (!count || parse_level(buf, count, &level) || level < 0 || level >= p->levels)
		return -EINVAL;
	WRITE_ONCE(dev_to_pm(dev)->policy[p->which], level);
	return min_t(size_t, count, POLICY_WORDS);
}

static struct policy_attr attr_soc_pstate = {
	.attr = __ATTR(soc_pstate, 0644, policy_show, policy_store),
	.which = GPU_POLICY_SOC_PSTATE,
	.names = soc_pstates, .levels = ARRAY_SIZE(soc_pstates),
};

static struct policy_attr attr_xgmi_plpd = {
	.attr = __ATTR(xgmi_plpd, 0644, policy_show, policy_store),
	.which = GPU_POLICY_XGMI_PLPD,
	.names = plpd_modes, .levels = ARRAY_SIZE(plpd_modes),
};

static struct attribute *policy_attrs[] = {
	&attr_soc_pstate.attr.attr,
	&attr_xgmi_plpd.attr.attr,
	NULL
};

const struct attribute_group vdrm_policy_group = {
	.name = "pm_policy",
	.attrs = policy_attrs,
};

bool vdrm_policy_shown(const struct vdrm_pm *pm)
{
	return COMPAT_FILE_POLICY && pm->model->policies;
}

/* What the part begins with: no preference, and the power-down that the firmware likes best. */
void vdrm_policy_init(struct vdrm_pm *pm)
{
	pm->policy[GPU_POLICY_SOC_PSTATE] = 0;
	pm->policy[GPU_POLICY_XGMI_PLPD] = 1;
}
