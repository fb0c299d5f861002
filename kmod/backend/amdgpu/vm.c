// SPDX-License-Identifier: GPL-2.0-only
/*
 * Address spaces: each is a file that a client has opened of the render node, and has given to
 * ACQUIRE_VM.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/lockdep.h>
#include <linux/slab.h>

#include "../../compat/file.h"
#include "userq.h"
#include "../../gpu/doorbell.h"
#include "../../gpu/process.h"
#include "../../../uapi/drm/amdgpu_drm.h"

/* Address spaces below are changed while ours are. */
static struct lock_class_key amdgpu_vm_update_key;

/* Who put the file may unload the driver below next: its end is not left for later. */
static void file_close(struct file *f)
{
	compat_fput_sync(f);
}

/*
 * A file of our own of the same device, wherever the client's name space has it; by the right of
 * who has opened the client's.
 */
static int node_open(struct amdgpu_node *node, struct file *f)
{
	struct file *own;

	lockdep_assert_held(&node->lock);
	if (node->nvms)
		goto out;
	own = dentry_open(&f->f_path, O_RDWR | O_CLOEXEC, f->f_cred);
	if (IS_ERR(own))
		return PTR_ERR(own);
	if (amdgpu_device_of(own) != node->drm) {
		file_close(own);
		return -EINVAL;
	}
	node->file = own;
out:
	node->nvms++;
	return 0;
}

static void node_close(struct amdgpu_node *node)
{
	struct file *f = NULL;

	mutex_lock(&node->lock);
	if (!--node->nvms) {
		f = node->file;
		node->file = NULL;
	}
	mutex_unlock(&node->lock);
	if (f)
		file_close(f);
}

struct file *amdgpu_node_file_get(struct amdgpu_node *node)
{
	struct file *f;

	mutex_lock(&node->lock);
	f = node->file ? get_file(node->file) : NULL;
	mutex_unlock(&node->lock);
	return f;
}

static struct gpu_vm *vm_find(struct amdgpu_node *node, const struct file *f)
{
	struct amdgpu_vm *avm;

	lockdep_assert_held(&node->lock);
	list_for_each_entry(avm, &node->vms, node_entry)
		if (avm->file == f && kref_get_unless_zero(&avm->vm->ref))
			return avm->vm;
	return NULL;
}

/*
 * Without any, queues are had by submissions, or there is no address space.
 *
 * The doorbells of user queues are there before there is a queue: their mmap has to find them, and
 * runs under locks inside of which nothing can be made.
 */
static int doorbells_create(struct amdgpu_vm *avm, struct amdgpu_node *node, struct file *f)
{
	unsigned int first = node->automatic ? AMDGPU_DOORBELLS_OURS : 0;
	struct amdgpu_object *o;

	if (!node->user)
		return 0;
	o = amdgpu_object_create(f, GPU_DOORBELL_BYTES - first * sizeof(u64),
				 AMDGPU_GEM_DOMAIN_DOORBELL, 0);
	avm->doorbells_first = first;
	if (!IS_ERR(o))
		avm->doorbells = o;
	else if (!node->automatic)
		return PTR_ERR(o);
	return 0;
}

static int vm_create(struct amdgpu_node *node, struct file *f, struct gpu_vm **out)
{
	struct amdgpu_vm *avm;
	struct gpu_vm *vm;
	int ret;

	lockdep_assert_held(&node->lock);
	avm = kzalloc(sizeof(*avm), GFP_KERNEL_ACCOUNT);
	if (!avm)
		return -ENOMEM;
	ret = node_open(node, f);
	if (ret)
		goto out_free;
	ret = doorbells_create(avm, node, f);
	if (ret)
		goto out_count;
	vm = gpu_vm_create(node->hw.gdev);
	if (IS_ERR(vm)) {
		ret = PTR_ERR(vm);
		goto out_doorbells;
	}
	lockdep_set_class(&vm->update, &amdgpu_vm_update_key);
	mutex_init(&avm->lock);
	xa_init(&avm->handles);
	avm->node = node;
	avm->vm = vm;
	avm->file = get_file(f);
	amdgpu_userqs_init(avm);
	list_add(&avm->node_entry, &node->vms);
	vm->priv = avm;
	*out = vm;
	return 0;

out_doorbells:
	if (avm->doorbells)
		amdgpu_object_destroy(avm->doorbells);
out_count:
	/* It was not the first one, or nothing has come of the file yet. */
	if (!--node->nvms) {
		file_close(node->file);
		node->file = NULL;
	}
out_free:
	kfree(avm);
	return ret;
}

int amdgpu_vm_from_file(struct gpu_device *gdev, struct file *f, struct gpu_vm **out)
{
	struct amdgpu_node *node = to_node(gdev);
	int ret = 0;

	if (amdgpu_device_of(f) != node->drm)
		return -EINVAL;
	mutex_lock(&node->lock);
	*out = vm_find(node, f);
	if (!*out)
		ret = vm_create(node, f, out);
	mutex_unlock(&node->lock);
	return ret;
}

/*
 * A process that ends closes its files when we are through with it, and we wait for jobs of one of
 * them. So we say what closing it says: the driver below gives jobs a second then. Nobody of the
 * process is left to submit more.
 */
void amdgpu_vm_leave(struct gpu_vm *vm)
{
	struct amdgpu_vm *avm = vm->priv;
	struct file *f = avm->file;

	if (!vm->process || !vm->process->dying || xchg(&avm->left, true))
		return;
	if (f->f_op->flush)
		f->f_op->flush(f, NULL);
}

void amdgpu_vm_fini(struct gpu_vm *vm)
{
	struct amdgpu_vm *avm = vm->priv;
	struct amdgpu_node *node;

	if (!avm)
		return;
	node = avm->node;
	mutex_lock(&node->lock);
	list_del(&avm->node_entry);
	mutex_unlock(&node->lock);
	amdgpu_userqs_fini(avm);
	if (avm->syncobj)
		drm_syncobj_put(avm->syncobj);
	amdgpu_area_destroy(&avm->request);
	amdgpu_area_destroy(&avm->names);
	amdgpu_area_destroy(&avm->answer);
	if (avm->doorbells)
		amdgpu_object_destroy(avm->doorbells);
	xa_destroy(&avm->handles);
	file_close(avm->file);
	mutex_destroy(&avm->lock);
	kfree(avm);
	node_close(node);
}
