// SPDX-License-Identifier: MIT
/*
 * Code objects: from a file to kernels in memory of a GPU.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aql_int.h"
#include "elf_image.h"

#define MAX_FILE	(1ll << 30)

/* A feature of a target string: '+', '-', or 0 if it is not named. */
static char feature(const char *target, const char *name)
{
	const char *s = strstr(target, name);

	return s ? s[strlen(name)] : 0;
}

/* The processor must be ours; a feature that the code object names must be as the device has it. */
static int check_target(const struct aql_dev *dev, const char *target)
{
	static const char * const features[] = { ":sramecc", ":xnack" };
	const char *gfx = strstr(target, "gfx");
	size_t len;

	if (!gfx)
		return -ENOEXEC;
	len = strcspn(gfx, ":");
	if (len != strlen(dev->info.gfx) || memcmp(gfx, dev->info.gfx, len))
		return -EXDEV;
	for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++) {
		char wants = feature(target, features[i]);

		if (wants && wants != feature(dev->info.isa, features[i]))
			return -EXDEV;
	}
	return 0;
}

static int relocate(const struct elf_image *img, char *base)
{
	struct elf_reloc r;

	for (size_t i = 0; i < elf_nr_relocs(img); i++) {
		uint64_t v;
		int err = elf_reloc_at(img, i, &r);

		if (err)
			return err;
		if (r.type == R_AMDGPU_RELATIVE64)
			v = (uintptr_t)base + r.addend;
		else if (r.type == R_AMDGPU_ABS64)
			v = (uintptr_t)base + r.symbol + r.addend;
		else
			return -ENOTSUP;
		memcpy(base + r.at, &v, sizeof(v));
	}
	return 0;
}

static int find_kernels(struct aql_code *c, const struct elf_image *img)
{
	c->kernels = calloc(c->meta.nr_kernels + 1, sizeof(*c->kernels));
	if (!c->kernels)
		return -ENOMEM;
	for (uint32_t i = 0; i < c->meta.nr_kernels; i++) {
		const struct meta_kernel *m = &c->meta.kernels[i];
		uint64_t value, size;

		if (elf_symbol(img, m->symbol, strlen(m->symbol), &value, &size))
			return -ENOEXEC;
		if (value % 64 || value > img->span ||
		    img->span - value < sizeof(struct kernel_descriptor))
			return -ENOEXEC;
		c->kernels[i].code = c;
		c->kernels[i].meta = m;
		c->kernels[i].object = (uintptr_t)c->mem + value;
	}
	return 0;
}

static int place(struct aql_code *c, const struct elf_image *img)
{
	int err;

	err = aql_alloc(c->dev, img->span, AQL_MEM_VRAM | AQL_MEM_EXEC, &c->mem);
	if (err)
		return err;
	memset(c->mem, 0, img->span);
	for (unsigned int i = 0; i < img->nr_segments; i++)
		memcpy((char *)c->mem + img->seg[i].vaddr, img->bytes + img->seg[i].offset,
		       img->seg[i].filesz);
	err = relocate(img, c->mem);
	if (!err)
		err = find_kernels(c, img);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return err;
}

/**
 * aql_code_load() - load a code object
 * @image: the ELF file, versions 4 to 6; not needed any more afterwards
 * @size: its size
 * @code: the handle
 *
 * Return: 0; -ENOEXEC if it is damaged or none, -EBADMSG if its metadata is, -EXDEV if it is for
 * another GPU, -ENOTSUP if it needs what the library does not have, or -ENOMEM.
 */
AQL_API int aql_code_load(struct aql_dev *dev, const void *image, size_t size,
			  struct aql_code **code)
{
	struct elf_image img;
	struct aql_code *c;
	int err;

	if (!image || !code)
		return -EINVAL;
	err = elf_parse(&img, image, size);
	if (err)
		return err;
	c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->dev = dev;
	err = meta_parse(img.metadata, img.metadata_size, &c->meta);
	if (!err)
		err = check_target(dev, c->meta.target);
	if (!err)
		err = place(c, &img);
	if (err) {
		aql_code_unload(c);
		return err;
	}
	*code = c;
	return 0;
}

/**
 * aql_code_load_file() - the same from a file
 *
 * Return: as aql_code_load(), or why the file could not be read.
 */
AQL_API int aql_code_load_file(struct aql_dev *dev, const char *path, struct aql_code **code)
{
	struct stat st;
	void *p;
	int fd, err;

	if (!path || !code)
		return -EINVAL;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st)) {
		err = -errno;
	} else if (!S_ISREG(st.st_mode) || !st.st_size || st.st_size > MAX_FILE) {
		err = -ENOEXEC;
	} else {
		p = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		err = p == MAP_FAILED ? -errno : aql_code_load(dev, p, st.st_size, code);
		if (p != MAP_FAILED)
			munmap(p, st.st_size);
	}
	close(fd);
	return err;
}

/**
 * aql_code_unload() - unload a code object of which nothing is running
 */
AQL_API void aql_code_unload(struct aql_code *code)
{
	if (!code)
		return;
	aql_free(code->dev, code->mem);
	meta_free(&code->meta);
	free(code->kernels);
	free(code);
}

/**
 * aql_code_count() - how many kernels a code object has
 */
AQL_API unsigned int aql_code_count(const struct aql_code *code)
{
	return code->meta.nr_kernels;
}

/**
 * aql_code_kernel_at() - a kernel by its number
 *
 * Return: the kernel, which lives as long as the code object; NULL beyond the last.
 */
AQL_API struct aql_kernel *aql_code_kernel_at(const struct aql_code *code, unsigned int i)
{
	return i < code->meta.nr_kernels ? &code->kernels[i] : NULL;
}

/**
 * aql_code_kernel() - a kernel by its name
 *
 * Return: 0, or -ESRCH if there is none of that name.
 */
AQL_API int aql_code_kernel(const struct aql_code *code, const char *name,
			    struct aql_kernel **kernel)
{
	for (unsigned int i = 0; i < code->meta.nr_kernels; i++) {
		if (!strcmp(code->meta.kernels[i].info.name, name)) {
			*kernel = &code->kernels[i];
			return 0;
		}
	}
	return -ESRCH;
}

/**
 * aql_kernel_get_info() - describe a kernel; the strings live as long as the code object
 */
AQL_API void aql_kernel_get_info(const struct aql_kernel *kernel, struct aql_kernel_info *info)
{
	*info = kernel->meta->info;
}
