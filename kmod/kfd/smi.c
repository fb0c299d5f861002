// SPDX-License-Identifier: GPL-2.0-only
/*
 * SMI_EVENTS: one file per client and device. Reading it returns lines of text, one
 * per event, "<id> <what>\n" with the id in hex. The client writes a mask of the
 * events it wants; at first none are enabled.
 *
 * A client gets the events of its own process and those that belong to no process; one
 * that had CAP_SYS_ADMIN at the open gets those of all processes. Linux 6.1 wants bit 63 of
 * the mask for that, 7.2 no longer looks at it (kfd_smi_ev_enabled()). A line that does not
 * fit into a client's buffer is dropped as a whole.
 *
 * Events name processes by their own pid, as 7.2 does: in a container, by what getpid() says
 * there. VMFAULT and those of processes have the machine's.
 *
 * Formats are those of the uapi header of Linux 7.2, as is the version that GET_VERSION tells:
 * older drivers' ends of migrations had no error, and their resets no cause. A virtual GPU is
 * throttled on demand only (gpu/inject.c).
 */
#include <linux/anon_inodes.h>
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kfifo.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/wait.h>

#include "kfd.h"
#include "race.h"
#include "smi.h"

#define SMI_FIFO_BYTES	8192

/* Limit per user and device, because every event is offered to each client in turn. */
#define SMI_MAX_CLIENTS	64

/**
 * struct smi_client - an open event file
 * @node: in smi_clients (smi_lock)
 * @fifo: lines not read yet (smi_lock)
 * @wait: readers in poll() wait here for a line
 * @gdev: the device whose events it reads; a reference
 * @events: enabled ones; written by the client, read under smi_lock
 * @pid: of the process that opened it
 * @uid: of its user, as gpu_user() says
 * @admin: listens to all processes
 */
struct smi_client {
	struct list_head node;
	struct kfifo fifo;
	wait_queue_head_t wait;
	struct gpu_device *gdev;
	u64 events;
	pid_t pid;
	kuid_t uid;
	bool admin;
};

/* A leaf lock that the GPU's threads take, so nothing sleeps under it. */
static DEFINE_SPINLOCK(smi_lock);
static LIST_HEAD(smi_clients);

/* ------------------------------------------------------------------ events */

/* @pid: the process the event belongs to, or 0 if it concerns everybody. */
static bool smi_wants(const struct smi_client *c, const struct gpu_device *gdev, pid_t pid,
		      unsigned int event)
{
	u64 events = READ_ONCE(c->events);

	if (c->gdev != gdev || !(events & KFD_SMI_EVENT_MASK_FROM_INDEX(event)))
		return false;
	return !pid || pid == c->pid || c->admin;
}

void vkfd_smi_event(struct gpu_device *gdev, pid_t pid, unsigned int event, const char *fmt, ...)
{
	char line[KFD_SMI_EVENT_MSG_SIZE];
	struct smi_client *c;
	va_list args;
	int len;

	if (list_empty_careful(&smi_clients))
		return;
	len = scnprintf(line, sizeof(line), "%x ", event);
	va_start(args, fmt);
	len += vscnprintf(line + len, sizeof(line) - len, fmt, args);
	va_end(args);

	spin_lock(&smi_lock);
	list_for_each_entry(c, &smi_clients, node) {
		if (!smi_wants(c, gdev, pid, event) || kfifo_avail(&c->fifo) < len)
			continue;
		kfifo_in(&c->fifo, line, len);
		wake_up_all(&c->wait);
	}
	spin_unlock(&smi_lock);
}

void vkfd_smi_process(struct gpu_device *gdev, const struct gpu_process *p, unsigned int event)
{
	vkfd_smi_event(gdev, 0, event, KFD_EVENT_FMT_PROCESS(p->pid, p->comm));
}

/* The space is there without a cause, too: kfd_smi_event_update_gpu_reset() of Linux 7.2 */
void vkfd_smi_reset(struct gpu_device *gdev, unsigned int event, u32 seq, const char *cause)
{
	vkfd_smi_event(gdev, 0, event, KFD_EVENT_FMT_UPDATE_GPU_RESET(seq, cause ?: ""));
}

/* -------------------------------------------------------------------- file */

static __poll_t smi_poll(struct file *file, struct poll_table_struct *wait)
{
	struct smi_client *c = file->private_data;
	__poll_t mask;

	poll_wait(file, &c->wait, wait);
	spin_lock(&smi_lock);
	mask = kfifo_is_empty(&c->fifo) ? 0 : EPOLLIN | EPOLLRDNORM;
	spin_unlock(&smi_lock);
	return mask;
}

/* Never blocks, even without O_NONBLOCK; clients use poll() to wait. */
static ssize_t smi_read(struct file *file, char __user *user, size_t size, loff_t *offset)
{
	struct smi_client *c = file->private_data;
	ssize_t ret;
	char *buf;

	size = min_t(size_t, size, SMI_FIFO_BYTES);
	buf = kmalloc(size, GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	spin_lock(&smi_lock);
	ret = kfifo_out(&c->fifo, buf, size);
	spin_unlock(&smi_lock);
	if (!ret)
		ret = -EAGAIN;
	else if (copy_to_user(user, buf, ret))
		ret = -EFAULT;
	kfree(buf);
	return ret;
}

static ssize_t smi_write(struct file *file, const char __user *user, size_t size,
			 loff_t *offset)
{
	struct smi_client *c = file->private_data;
	u64 events;

	if (size < sizeof(events) || copy_from_user(&events, user, sizeof(events)))
		return -EFAULT;
	WRITE_ONCE(c->events, events);
	return sizeof(events);
}

static void smi_client_destroy(struct smi_client *c)
{
	spin_lock(&smi_lock);
	list_del(&c->node);
	spin_unlock(&smi_lock);
	vkfd_race_point("SMI: client out of the list, not yet freed");
	kfifo_free(&c->fifo);
	gpu_device_put(c->gdev);
	kfree(c);
}

static int smi_release(struct inode *inode, struct file *file)
{
	smi_client_destroy(file->private_data);
	return 0;
}

static const struct file_operations smi_fops = {
	.owner = THIS_MODULE,
	.poll = smi_poll,
	.read = smi_read,
	.write = smi_write,
	.release = smi_release,
	.llseek = noop_llseek,
};

/* Returns false if the client's user has too many already. */
static bool smi_client_add(struct smi_client *c)
{
	unsigned int n = 0;
	struct smi_client *i;

	spin_lock(&smi_lock);
	list_for_each_entry(i, &smi_clients, node)
		n += i->gdev == c->gdev && uid_eq(i->uid, c->uid);
	if (n < SMI_MAX_CLIENTS)
		list_add_tail(&c->node, &smi_clients);
	spin_unlock(&smi_lock);
	return n < SMI_MAX_CLIENTS;
}

static struct smi_client *smi_client_create(struct gpu_device *gdev)
{
	struct smi_client *c;

	c = kzalloc(sizeof(*c), GFP_KERNEL_ACCOUNT);
	if (!c)
		return ERR_PTR(-ENOMEM);
	if (kfifo_alloc(&c->fifo, SMI_FIFO_BYTES, GFP_KERNEL_ACCOUNT)) {
		kfree(c);
		return ERR_PTR(-ENOMEM);
	}
	INIT_LIST_HEAD(&c->node);
	init_waitqueue_head(&c->wait);
	gpu_device_get(gdev);
	c->gdev = gdev;
	c->pid = current->tgid;
	c->uid = gpu_user();
	c->admin = capable(CAP_SYS_ADMIN);
	if (!smi_client_add(c)) {
		smi_client_destroy(c);
		return ERR_PTR(-EMFILE);
	}
	return c;
}

int vkfd_ioctl_smi_events(struct vkfd_process *p, void *data)
{
	struct kfd_ioctl_smi_events_args *args = data;
	struct vkfd_pdd *pdd = vkfd_process_pdd(p, args->gpuid);
	struct smi_client *c;
	int fd;

	if (!pdd)
		return -EINVAL;
	c = smi_client_create(pdd->base.gdev);
	if (IS_ERR(c))
		return PTR_ERR(c);
	vkfd_race_point("SMI: client in the list, no descriptor yet");
	fd = anon_inode_getfd("kfd_smi_ev", &smi_fops, c, O_RDWR);
	if (fd < 0) {
		smi_client_destroy(c);
		return fd;
	}
	args->anon_fd = fd;
	return 0;
}
