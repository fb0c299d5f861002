// SPDX-License-Identifier: MIT
/*
 * The smallest loader that runs our own code object: LOAD segments at their
 * addresses, kernels by their descriptor symbols. No relocations: there are
 * none in kernels.cl.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rig.h"

/* The code for this GPU: there is one for each. */
static int open_code(struct rig *r)
{
	long version = rig_property(r->gpu_id, "gfx_target_version");
	char path[512], dir[400], *slash;
	ssize_t n = readlink("/proc/self/exe", dir, sizeof(dir) - 1);
	int fd;

	if (n < 0)
		return -errno;
	dir[n] = 0;
	slash = strrchr(dir, '/');
	*slash = 0;
	snprintf(path, sizeof(path), "%s/code/queue-gfx%ld%lx%lx.hsaco", dir, version / 10000,
		 version / 100 % 100, version % 100);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int map_file(struct rig *r)
{
	int fd = open_code(r);
	struct stat st;
	void *p;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st)) {
		close(fd);
		return -errno;
	}
	p = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		return -errno;
	r->elf = p;
	r->elf_bytes = st.st_size;
	return 0;
}

int rig_load(struct rig *r)
{
	const Elf64_Ehdr *e;
	const Elf64_Phdr *ph;
	size_t end = 0;
	int i, ret;

	ret = map_file(r);
	if (ret)
		return ret;
	e = (const Elf64_Ehdr *)r->elf;
	ph = (const Elf64_Phdr *)(r->elf + e->e_phoff);
	for (i = 0; i < e->e_phnum; i++)
		if (ph[i].p_type == PT_LOAD && ph[i].p_vaddr + ph[i].p_memsz > end)
			end = ph[i].p_vaddr + ph[i].p_memsz;
	end = (end + RIG_PAGE - 1) & ~(RIG_PAGE - 1);
	ret = rig_alloc(r, KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC,
			end, &r->code);
	if (ret)
		return ret;
	for (i = 0; i < e->e_phnum; i++)
		if (ph[i].p_type == PT_LOAD)
			memcpy((u8 *)r->code.p + ph[i].p_vaddr, r->elf + ph[i].p_offset,
			       ph[i].p_filesz);
	return 0;
}

static u64 find_symbol(struct rig *r, const char *want)
{
	const Elf64_Ehdr *e = (const Elf64_Ehdr *)r->elf;
	const Elf64_Shdr *sh = (const Elf64_Shdr *)(r->elf + e->e_shoff);
	int i;

	for (i = 0; i < e->e_shnum; i++) {
		const char *names = (const char *)r->elf + sh[sh[i].sh_link].sh_offset;
		const Elf64_Sym *s = (const Elf64_Sym *)(r->elf + sh[i].sh_offset);
		size_t n = sh[i].sh_size / sizeof(*s);

		if (sh[i].sh_type != SHT_DYNSYM)
			continue;
		for (; n; n--, s++)
			if (!strcmp(names + s->st_name, want))
				return s->st_value;
	}
	return 0;
}

int rig_kernel(struct rig *r, const char *name, struct rig_kernel *k)
{
	char symbol[128];
	const u32 *kd;
	u64 at;

	snprintf(symbol, sizeof(symbol), "%s.kd", name);
	at = find_symbol(r, symbol);
	if (!at)
		return -ENOENT;
	k->object = (uintptr_t)r->code.p + at;
	kd = (const u32 *)(uintptr_t)k->object;
	k->group_bytes = kd[0];
	k->private_bytes = kd[1];
	k->version = rig_property(r->gpu_id, "gfx_target_version");
	return 0;
}

void rig_scratch_srd(long version, u64 base, u64 bytes, u32 srd[4])
{
	srd[0] = (u32)base;
	srd[1] = (u32)(base >> 32) | 1u << 31;
	srd[2] = (u32)bytes;
	/* ADD_TID_ENABLE, index stride 64, elements of 4 bytes */
	srd[3] = 1u << 23 | 3u << 21 | 1u << 19 | 4u << 12 | 0xfacu;
	/* index stride 32, 32_UINT, no bounds */
	if (version >= 100000)
		srd[3] = 2u << 28 | 1u << 24 | 1u << 23 | 2u << 21 | 20u << 12 | 0xfacu;
}
