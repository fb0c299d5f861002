// SPDX-License-Identifier: GPL-2.0-only
/* Parameters of waves in user mode: who runs them, and whether that compiles their code. */
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <vkfd/engine.h>

#include "remote.h"

/* Of GPUs that have no choice of their own (configfs) */
static int engine = GPU_ENGINE_AUTO;

static int engine_set(const char *val, const struct kernel_param *kp)
{
	int i = sysfs_match_string(gpu_engine_names, val);

	if (i < 0 || i == GPU_ENGINE_DEFAULT)
		return -EINVAL;
	WRITE_ONCE(engine, i);
	return 0;
}

static int engine_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%s\n", gpu_engine_names[READ_ONCE(engine)]);
}

enum gpu_engine interp_engine(const struct interp *ip)
{
	enum gpu_engine own = ip->vg->gdev->engine;

	return own == GPU_ENGINE_DEFAULT ? READ_ONCE(engine) : own;
}

static const struct kernel_param_ops engine_ops_param = {
	.set = engine_set,
	.get = engine_get,
};
module_param_cb(engine, &engine_ops_param, NULL, 0644);
MODULE_PARM_DESC(engine, "Who runs waves of new address spaces: kernel, user (a process), or auto, the default: user where the program for that is installed");

static int engine_jit = VKFD_ENGINE_JIT_ON;

static const char * const jit_names[] = {
	[VKFD_ENGINE_JIT_OFF] = "N",
	[VKFD_ENGINE_JIT_ON] = "Y",
	[VKFD_ENGINE_JIT_CHECK] = "check",
	[VKFD_ENGINE_JIT_ALWAYS] = "always",
};

static int jit_set(const char *val, const struct kernel_param *kp)
{
	int ret = sysfs_match_string(jit_names, val);
	bool on;

	if (ret < 0) {
		ret = kstrtobool(val, &on);
		if (ret)
			return ret;
		ret = on ? VKFD_ENGINE_JIT_ON : VKFD_ENGINE_JIT_OFF;
	}
	WRITE_ONCE(engine_jit, ret);
	return 0;
}

static int jit_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%s\n", jit_names[READ_ONCE(engine_jit)]);
}

static const struct kernel_param_ops jit_ops_param = {
	.set = jit_set,
	.get = jit_get,
};
module_param_cb(engine_jit, &jit_ops_param, NULL, 0644);
MODULE_PARM_DESC(engine_jit, "New engine processes compile code that is run often, where vkfd-jit is installed: 0, 1, always: also what takes the compiler longer than waves, or check: and look whether the interpreter does the same");

u32 interp_engine_jit(void)
{
	return READ_ONCE(engine_jit);
}
