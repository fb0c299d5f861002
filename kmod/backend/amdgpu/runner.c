// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads that submit: one for each address space that has compute queues. It sleeps while the GPU
 * works. Nobody waits for it but who ends one of its queues, or takes it off the GPU. A call below
 * that takes long, for a queue that has stopped, is ended by a signal.
 */
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "batch.h"

void amdgpu_runner_kick(struct amdgpu_runner *r)
{
	atomic_set(&r->kick, 1);
	wake_up(&r->wq);
}

void amdgpu_runners_kick(struct amdgpu_node *node)
{
	struct amdgpu_runner *r;

	spin_lock(&node->hw.lock);
	list_for_each_entry(r, &node->runners, entry) {
		if (r->in_call && hw_queue_stopped(&r->in_call->vq.hq))
			send_sig(SIGKILL, r->task, 1);
		amdgpu_runner_kick(r);
	}
	spin_unlock(&node->hw.lock);
}

void amdgpu_runner_calls(struct amdgpu_runner *r, struct amdgpu_queue *aq)
{
	spin_lock(&r->node->hw.lock);
	/* What was meant for another queue, or came from somebody else, is over. */
	flush_signals(current);
	r->in_call = aq;
	if (hw_queue_stopped(&aq->vq.hq))
		send_sig(SIGKILL, current, 1);
	spin_unlock(&r->node->hw.lock);
}

void amdgpu_runner_has_called(struct amdgpu_runner *r)
{
	spin_lock(&r->node->hw.lock);
	r->in_call = NULL;
	flush_signals(current);
	spin_unlock(&r->node->hw.lock);
}

static bool wanted(struct amdgpu_runner *r)
{
	return atomic_read(&r->kick) || !llist_empty(&r->done) || kthread_should_stop();
}

static int runner_thread(void *arg)
{
	struct amdgpu_runner *r = arg;
	long timeout = MAX_SCHEDULE_TIMEOUT;

	allow_signal(SIGKILL);
	while (!kthread_should_stop()) {
		wait_event_idle_timeout(r->wq, wanted(r), timeout);
		timeout = amdgpu_batches_run(r);
	}
	return 0;
}

static struct amdgpu_runner *runner_create(struct amdgpu_vm *avm)
{
	struct amdgpu_node *node = avm->node;
	struct gpu_device *gdev = node->hw.gdev;
	struct amdgpu_runner *r = kzalloc(sizeof(*r), GFP_KERNEL_ACCOUNT);

	if (!r)
		return ERR_PTR(-ENOMEM);
	r->node = node;
	init_waitqueue_head(&r->wq);
	init_llist_head(&r->done);
	INIT_LIST_HEAD(&r->running);
	r->task = kthread_create(runner_thread, r, "vkfd-cs/%u", gdev->index);
	if (IS_ERR(r->task)) {
		kfree(r);
		return ERR_PTR(-ENOMEM);
	}
	gpu_vm_worker_add(gdev, &r->vmw);
	spin_lock(&node->hw.lock);
	list_add_tail(&r->entry, &node->runners);
	spin_unlock(&node->hw.lock);
	wake_up_process(r->task);
	return r;
}

/* Nothing is below any more. A fence that has told of its batch may still be about to wake it. */
static void runner_destroy(struct amdgpu_runner *r)
{
	struct amdgpu_node *node = r->node;

	spin_lock(&node->hw.lock);
	list_del(&r->entry);
	spin_unlock(&node->hw.lock);
	kthread_stop(r->task);
	gpu_vm_worker_del(node->hw.gdev, &r->vmw);
	kfree_rcu(r, rcu);
}

struct amdgpu_runner *amdgpu_runner_get(struct amdgpu_vm *avm)
{
	struct amdgpu_runner *r = avm->runner;

	if (!r) {
		r = runner_create(avm);
		if (IS_ERR(r))
			return r;
		avm->runner = r;
	}
	avm->nrun++;
	return r;
}

void amdgpu_runner_put(struct amdgpu_vm *avm)
{
	if (--avm->nrun)
		return;
	runner_destroy(avm->runner);
	avm->runner = NULL;
}
