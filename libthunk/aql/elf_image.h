/* SPDX-License-Identifier: MIT */
/*
 * An AMDGPU code object as an ELF file: segments, dynamic symbols, relocations, metadata note.
 *
 * Pure: works on bytes in memory and trusts none of them.
 */
#ifndef AQL_ELF_IMAGE_H
#define AQL_ELF_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#define ELF_MAX_SEGMENTS	16
#define ELF_MAX_IMAGE		(1ull << 30)	/* loaded size */

struct elf_segment {
	uint64_t vaddr;
	uint64_t offset;
	uint64_t filesz;
	uint64_t memsz;
};

struct elf_table {
	uint64_t offset;
	uint64_t size;
};

struct elf_image {
	const uint8_t *bytes;
	size_t size;
	uint32_t flags;			/* e_flags: the processor is in 7:0 */
	uint8_t abi_version;		/* 2: code object v4, 3: v5, 4: v6 */
	unsigned int nr_segments;
	struct elf_segment seg[ELF_MAX_SEGMENTS];
	uint64_t span;			/* loaded size from address 0 */
	struct elf_table dynsym, dynstr, rela;
	const uint8_t *metadata;	/* MessagePack */
	size_t metadata_size;
};

struct elf_reloc {
	uint64_t at;			/* address to patch */
	uint32_t type;
	int64_t addend;
	uint64_t symbol;		/* address, for types that have one */
};

#define R_AMDGPU_ABS64		3u
#define R_AMDGPU_RELATIVE64	13u

int elf_parse(struct elf_image *img, const void *bytes, size_t size);
int elf_symbol(const struct elf_image *img, const char *name, size_t len, uint64_t *value,
	       uint64_t *size);
size_t elf_nr_relocs(const struct elf_image *img);
int elf_reloc_at(const struct elf_image *img, size_t i, struct elf_reloc *r);

#endif /* AQL_ELF_IMAGE_H */
