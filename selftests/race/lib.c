// SPDX-License-Identifier: MIT
/* What actors are made of: system calls without libc's state, faults that do not kill. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>

#include "race.h"

uint64_t race_random(struct race_task *t)
{
	t->rng ^= t->rng << 13;
	t->rng ^= t->rng >> 7;
	t->rng ^= t->rng << 17;
	return t->rng >> 8;
}

void race_sleep_us(unsigned int us)
{
	struct timespec ts = { .tv_nsec = us * 1000l };

	race_call(nanosleep, &ts, NULL);
}

long race_open(const char *path, int flags)
{
	return race_call(openat, AT_FDCWD, path, flags | O_CLOEXEC, 0);
}

void race_close(int fd)
{
	if (fd > 2)
		race_call(close, fd);
}

long race_kfd(const struct race_task *t, unsigned long cmd, void *arg)
{
	return race_call(ioctl, t->world->kfd, cmd, arg);
}

long race_drm(const struct race_task *t, unsigned long cmd, void *arg)
{
	return race_call(ioctl, t->world->drm, cmd, arg);
}

void *race_mmap(void *at, size_t bytes, int prot, int flags, int fd, uint64_t offset)
{
	long p = race_call(mmap, at, bytes, prot, flags, fd, offset);

	return race_ok(p) ? (void *)p : NULL;
}

void race_munmap(volatile void *p, size_t bytes)
{
	if (p)
		race_call(munmap, p, bytes);
}

void race_read(const char *path)
{
	char buf[1024];
	long fd = race_open(path, O_RDONLY | O_NONBLOCK);

	if (fd < 0)
		return;
	while (race_call(read, fd, buf, sizeof(buf)) > 0)
		;
	race_close(fd);
}

void race_write(const char *path, const char *text)
{
	long fd = race_open(path, O_WRONLY);

	if (fd < 0)
		return;
	race_call(write, fd, text, strlen(text));
	race_close(fd);
}

void race_path(char *out, size_t bytes, const char *format, unsigned int n)
{
	char digits[12];
	unsigned int i;

	for (; *format && bytes > sizeof(digits); format++) {
		if (*format != '%') {
			*out++ = *format;
			bytes--;
			continue;
		}
		i = 0;
		do {
			digits[i++] = '0' + n % 10;
			n /= 10;
		} while (n);
		for (; i; bytes--)
			*out++ = digits[--i];
	}
	*out = 0;
}

uint8_t *race_slot(struct race_task *t)
{
	return RACE_ARENA + race_random(t) % RACE_SLOTS * RACE_SLOT;
}

/* ------------------------------------------------------------------- faults */

/*
 * Instructions that may fault; the signal handler sends whoever does to the end.
 * The handler of a task that has no thread pointer of its own can go by nothing else.
 */
__asm__(
"	.text\n"
"	.globl race_touch_read, race_touch_write, race_touch_store\n"
"	.globl race_touch_end, race_touch_bad\n"
"	.type race_touch_read, @function\n"
"	.type race_touch_write, @function\n"
"race_touch_read:\n"
"	movb (%rdi), %al\n"
"	movl $1, %eax\n"
"	ret\n"
"race_touch_write:\n"
"	lock orb $0, (%rdi)\n"
"	movl $1, %eax\n"
"	ret\n"
"race_touch_store:\n"
"	movq %rsi, (%rdi)\n"
"	movl $1, %eax\n"
"	ret\n"
"race_touch_end:\n"
"race_touch_bad:\n"
"	xorl %eax, %eax\n"
"	ret\n"
);
int race_touch_read(volatile void *p);
int race_touch_write(volatile void *p);
int race_touch_store(volatile void *p, uint64_t value);
extern const char race_touch_end[], race_touch_bad[];

bool race_touch(volatile void *p, bool write)
{
	if (!p)
		return false;
	return write ? race_touch_write(p) : race_touch_read(p);
}

bool race_store(volatile void *p, uint64_t value)
{
	return p && race_touch_store(p, value);
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	greg_t *rip = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
	unsigned long from = (unsigned long)race_touch_read, to = (unsigned long)race_touch_end;

	(void)sig;
	(void)info;
	if ((unsigned long)*rip < from || (unsigned long)*rip >= to)
		race_call(exit_group, 3);
	*rip = (greg_t)race_touch_bad;
}

void race_on_fault(void)
{
	struct sigaction act = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER };

	sigaction(SIGSEGV, &act, NULL);
	sigaction(SIGBUS, &act, NULL);
	signal(SIGPIPE, SIG_IGN);
}

/* ------------------------------------------------------------------ buffers */

long race_map(const struct race_task *t, uint64_t handle, bool map)
{
	uint32_t id = t->world->machine->gpu_id;
	struct kfd_ioctl_map_memory_to_gpu_args a = {
		.handle = handle, .device_ids_array_ptr = (uintptr_t)&id, .n_devices = 1,
	};

	return race_kfd(t, map ? AMDKFD_IOC_MAP_MEMORY_TO_GPU : AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU,
			&a);
}

void race_free(const struct race_task *t, uint64_t handle)
{
	struct kfd_ioctl_free_memory_of_gpu_args a = { .handle = handle };

	race_map(t, handle, false);
	race_kfd(t, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &a);
}

uint64_t race_userptr(const struct race_task *t, void *p, size_t bytes)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args a = {
		.va_addr = (uintptr_t)p, .size = bytes, .mmap_offset = (uintptr_t)p,
		.gpu_id = t->world->machine->gpu_id,
		.flags = KFD_IOC_ALLOC_MEM_FLAGS_USERPTR | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE,
	};

	if (race_kfd(t, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a))
		return 0;
	race_map(t, a.handle, true);
	return a.handle;
}
