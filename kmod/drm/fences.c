// SPDX-License-Identifier: GPL-2.0-only
/* Waiting for jobs, and making syncobjs and sync files of their fences. */
#include <linux/dma-fence.h>
#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sync_file.h>
#include <linux/uaccess.h>
#include <drm/drm_syncobj.h>

#include "../gpu/charged.h"
#include "cs.h"

#define VDRM_MAX_FENCES	0x10000	/* of a WAIT_FENCES */

/* As vdrm_entity_fence(). */
static struct dma_fence *vdrm_fence_find(struct vdrm_file *vf,
					 const struct drm_amdgpu_fence *user)
{
	struct vdrm_ctx *ctx = vdrm_ctx_get(vf, user->ctx_id);
	struct vdrm_entity *entity;
	struct dma_fence *fence;

	if (!ctx)
		return ERR_PTR(-EINVAL);
	entity = vdrm_ctx_entity(ctx, user->ip_type, user->ip_instance, user->ring);
	fence = IS_ERR(entity) ? ERR_CAST(entity) : vdrm_entity_fence(entity, user->seq_no);
	vdrm_ctx_put(ctx);
	return fence;
}

/* Takes over the reference. > 0: the job is done; 0: not yet; < 0: it failed, or a signal. */
static long vdrm_fence_wait(struct dma_fence *fence, u64 timeout_ns)
{
	long left = dma_fence_wait_timeout(fence, true, vdrm_timeout(timeout_ns));

	if (left > 0 && fence->error)
		left = fence->error;
	dma_fence_put(fence);
	return left;
}

int vdrm_ioctl_wait_cs(struct drm_device *drm, void *data, struct drm_file *file)
{
	union drm_amdgpu_wait_cs *args = data;
	const struct drm_amdgpu_fence which = {
		.ctx_id = args->in.ctx_id, .ip_type = args->in.ip_type,
		.ip_instance = args->in.ip_instance, .ring = args->in.ring,
		.seq_no = args->in.handle,
	};
	struct dma_fence *fence = vdrm_fence_find(file->driver_priv, &which);
	long left = 1;

	if (IS_ERR(fence))
		return PTR_ERR(fence);
	if (fence)
		left = vdrm_fence_wait(fence, args->in.timeout);
	if (left < 0)
		return left;
	memset(args, 0, sizeof(*args));
	args->out.status = !left;
	return 0;
}

static int vdrm_wait_all(struct vdrm_file *vf, union drm_amdgpu_wait_fences *args,
			 const struct drm_amdgpu_fence *user)
{
	u32 i, n = args->in.fence_count;
	struct dma_fence *fence;
	long left = 1;

	for (i = 0; i < n && left; i++) {
		fence = vdrm_fence_find(vf, &user[i]);
		if (IS_ERR(fence))
			return PTR_ERR(fence);
		if (!fence)
			continue;
		left = vdrm_fence_wait(fence, args->in.timeout_ns);
		if (left < 0)
			return left;
	}
	memset(args, 0, sizeof(*args));
	args->out.status = left > 0;
	return 0;
}

static int vdrm_wait_any(struct vdrm_file *vf, union drm_amdgpu_wait_fences *args,
			 const struct drm_amdgpu_fence *user)
{
	u32 i, n = args->in.fence_count, first = ~0u, found = 0;
	struct dma_fence **fences;
	long left = 1;
	int ret = 0;

	fences = kvcalloc(n, sizeof(*fences), GFP_KERNEL_ACCOUNT);
	if (!fences)
		return -ENOMEM;
	for (; found < n && first == ~0u; found++) {
		fences[found] = vdrm_fence_find(vf, &user[found]);
		if (IS_ERR(fences[found])) {
			ret = PTR_ERR(fences[found]);
			goto out;
		}
		/* One that ended long ago. */
		if (!fences[found])
			first = found;
	}
	if (first == ~0u) {
		left = dma_fence_wait_any_timeout(fences, n, true,
						  vdrm_timeout(args->in.timeout_ns), &first);
		if (left < 0) {
			ret = left;
			goto out;
		}
	}
	memset(args, 0, sizeof(*args));
	args->out.status = left > 0;
	args->out.first_signaled = first;
	if (first < n && fences[first])
		ret = fences[first]->error;
out:
	for (i = 0; i < found; i++)
		dma_fence_put(fences[i]);
	kvfree(fences);
	return ret;
}

int vdrm_ioctl_wait_fences(struct drm_device *drm, void *data, struct drm_file *file)
{
	union drm_amdgpu_wait_fences *args = data;
	struct drm_amdgpu_fence *user;
	u32 n = args->in.fence_count;
	int ret;

	if (!n)
		return -EINVAL;
	if (n > VDRM_MAX_FENCES)
		return -ENOMEM;
	user = gpu_copy_array(args->in.fences, n, sizeof(*user));
	if (IS_ERR(user))
		return PTR_ERR(user);
	ret = args->in.wait_all ? vdrm_wait_all(file->driver_priv, args, user) :
				  vdrm_wait_any(file->driver_priv, args, user);
	kvfree(user);
	return ret;
}

static int vdrm_sync_file(struct dma_fence *fence, u32 *out)
{
	int fd = get_unused_fd_flags(O_CLOEXEC);
	struct sync_file *sync;

	if (fd < 0)
		return fd;
	sync = sync_file_create(fence);
	if (!sync) {
		put_unused_fd(fd);
		return -ENOMEM;
	}
	fd_install(fd, sync->file);
	*out = fd;
	return 0;
}

static int vdrm_syncobj(struct drm_file *file, struct dma_fence *fence, bool as_fd, u32 *out)
{
	struct drm_syncobj *syncobj;
	int ret = drm_syncobj_create(&syncobj, 0, fence), fd;

	if (ret)
		return ret;
	if (as_fd) {
		ret = drm_syncobj_get_fd(syncobj, &fd);
		if (!ret)
			*out = fd;
	} else {
		ret = drm_syncobj_get_handle(file, syncobj, out);
	}
	drm_syncobj_put(syncobj);
	return ret;
}

int vdrm_ioctl_fence_to_handle(struct drm_device *drm, void *data, struct drm_file *file)
{
	union drm_amdgpu_fence_to_handle *args = data;
	struct dma_fence *fence = vdrm_fence_find(file->driver_priv, &args->in.fence);
	u32 what = args->in.what;
	int ret;

	if (IS_ERR(fence))
		return PTR_ERR(fence);
	if (!fence)
		fence = dma_fence_get_stub();
	switch (what) {
	case AMDGPU_FENCE_TO_HANDLE_GET_SYNCOBJ:
	case AMDGPU_FENCE_TO_HANDLE_GET_SYNCOBJ_FD:
		ret = vdrm_syncobj(file, fence, what == AMDGPU_FENCE_TO_HANDLE_GET_SYNCOBJ_FD,
				   &args->out.handle);
		break;
	case AMDGPU_FENCE_TO_HANDLE_GET_SYNC_FILE_FD:
		ret = vdrm_sync_file(fence, &args->out.handle);
		break;
	default:
		ret = -EINVAL;
	}
	dma_fence_put(fence);
	return ret;
}
