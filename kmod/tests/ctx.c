// SPDX-License-Identifier: GPL-2.0-only
/* Files whose GPU is taken away, and maybe has its next device: calls that have begun go on. */
#include <linux/xarray.h>
#include <drm/drm_file.h>
#include <kunit/test.h>

#include "../drm/drm_int.h"
#include "../gpu/bo.h"
#include "../gpu/device.h"
#include "../gpu/vm.h"
#include "../../uapi/drm/amdgpu_drm.h"

struct ctx_test {
	struct gpu_device gdev;		/* without a DRM device, as after vdrm_device_fini() */
	struct gpu_vm vm;
	struct vdrm_device vdev;
	struct vdrm_file vf;
	struct drm_file file;
};

static int ctx_call(struct ctx_test *t, union drm_amdgpu_ctx *args)
{
	return vdrm_ioctl_ctx(&t->vdev.drm, args, &t->file);
}

static u64 ctx_flags(struct kunit *test, struct ctx_test *t, u32 id)
{
	union drm_amdgpu_ctx args = {
		.in = { .op = AMDGPU_CTX_OP_QUERY_STATE2, .ctx_id = id },
	};

	KUNIT_EXPECT_EQ(test, ctx_call(t, &args), 0);
	return args.out.state.flags;
}

static void ctx_without_a_gpu(struct kunit *test)
{
	struct ctx_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	union drm_amdgpu_ctx args = { .in = { .op = AMDGPU_CTX_OP_ALLOC_CTX } };
	u32 id;

	KUNIT_ASSERT_NOT_NULL(test, t);
	t->vdev.gdev = &t->gdev;
	t->vm.gdev = &t->gdev;
	t->vf.vdev = &t->vdev;
	t->vf.vm = &t->vm;
	mutex_init(&t->vf.lock);
	xa_init_flags(&t->vf.ctxs, XA_FLAGS_ALLOC1);
	t->file.driver_priv = &t->vf;

	KUNIT_ASSERT_EQ(test, ctx_call(t, &args), 0);
	id = args.out.alloc.ctx_id;
	KUNIT_EXPECT_EQ(test, ctx_flags(test, t, id), 0);
	/* As its user queues are when the GPU goes */
	atomic_inc(&t->vdev.userqs.resets);
	KUNIT_EXPECT_EQ(test, ctx_flags(test, t, id), AMDGPU_CTX_QUERY2_FLAGS_RESET);
	args = (union drm_amdgpu_ctx){ .in = { .op = AMDGPU_CTX_OP_FREE_CTX, .ctx_id = id } };
	KUNIT_EXPECT_EQ(test, ctx_call(t, &args), 0);
	KUNIT_EXPECT_TRUE(test, xa_empty(&t->vf.ctxs));
	mutex_destroy(&t->vf.lock);
}

struct stale_test {
	struct drm_device old, next;
	struct drm_minor minor;
	struct drm_file file;
	struct gpu_bo bo;
};

/*
 * An object is of the device that the GPU has when it is made. No user can hold a call up between
 * the DRM core's look at the device (drm_ioctl_kernel()) and that, so this is not for a guest test.
 */
static void ctx_object_of_the_next_device(struct kunit *test)
{
	struct stale_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	u32 handle = 0;

	KUNIT_ASSERT_NOT_NULL(test, t);
	t->minor.dev = &t->old;
	t->file.minor = &t->minor;
	t->bo.base.dev = &t->next;
	KUNIT_EXPECT_EQ(test, vdrm_handle_create(&t->file, &t->bo, &handle), -ENODEV);
	KUNIT_EXPECT_EQ(test, handle, 0);
}

static struct kunit_case ctx_cases[] = {
	KUNIT_CASE(ctx_without_a_gpu),
	KUNIT_CASE(ctx_object_of_the_next_device),
	{ }
};

static struct kunit_suite ctx_suite = {
	.name = "vkfd_ctx",
	.test_cases = ctx_cases,
};

kunit_test_suite(ctx_suite);
