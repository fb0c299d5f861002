// SPDX-License-Identifier: MIT
/*
 * Reading code objects.  Every offset and size of the file is checked against the file before
 * it is used; addition is done where it cannot wrap.
 */
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "elf_image.h"

#define EM_AMDGPU_NR		224
#define ELFOSABI_AMDGPU_HSA	64
#define NT_AMDGPU_METADATA	32

static bool inside(uint64_t offset, uint64_t size, uint64_t total)
{
	return offset <= total && size <= total - offset;
}

static int check_header(const Elf64_Ehdr *h)
{
	if (memcmp(h->e_ident, ELFMAG, SELFMAG) || h->e_ident[EI_CLASS] != ELFCLASS64 ||
	    h->e_ident[EI_DATA] != ELFDATA2LSB)
		return -ENOEXEC;
	if (h->e_machine != EM_AMDGPU_NR || h->e_ident[EI_OSABI] != ELFOSABI_AMDGPU_HSA)
		return -ENOEXEC;
	/* v2 and v3 have another metadata format or none of the kernels' descriptors */
	if (h->e_ident[EI_ABIVERSION] < 1 || h->e_ident[EI_ABIVERSION] > 4)
		return -ENOTSUP;
	if (h->e_type != ET_DYN || h->e_phentsize != sizeof(Elf64_Phdr))
		return -ENOEXEC;
	return 0;
}

static int add_segment(struct elf_image *img, const Elf64_Phdr *p)
{
	struct elf_segment *s;

	if (!p->p_memsz)
		return 0;
	if (img->nr_segments == ELF_MAX_SEGMENTS || p->p_filesz > p->p_memsz)
		return -ENOEXEC;
	if (!inside(p->p_offset, p->p_filesz, img->size) ||
	    !inside(p->p_vaddr, p->p_memsz, ELF_MAX_IMAGE))
		return -ENOEXEC;
	s = &img->seg[img->nr_segments++];
	s->vaddr = p->p_vaddr;
	s->offset = p->p_offset;
	s->filesz = p->p_filesz;
	s->memsz = p->p_memsz;
	if (s->vaddr + s->memsz > img->span)
		img->span = s->vaddr + s->memsz;
	return 0;
}

/* Notes are (name size, size, type) and two byte strings, each padded to 4. */
static void find_metadata(struct elf_image *img, const Elf64_Phdr *p)
{
	uint64_t at = p->p_offset, end;
	Elf64_Nhdr n;

	if (!inside(p->p_offset, p->p_filesz, img->size))
		return;
	end = p->p_offset + p->p_filesz;
	while (end - at >= sizeof(n)) {
		uint64_t name, desc;

		memcpy(&n, img->bytes + at, sizeof(n));
		name = at + sizeof(n);
		desc = name + (((uint64_t)n.n_namesz + 3) & ~3ull);
		if (desc > end || n.n_descsz > end - desc)
			return;
		if (n.n_type == NT_AMDGPU_METADATA && n.n_namesz >= 6 &&
		    !memcmp(img->bytes + name, "AMDGPU", 6)) {
			img->metadata = img->bytes + desc;
			img->metadata_size = n.n_descsz;
			return;
		}
		at = desc + (((uint64_t)n.n_descsz + 3) & ~3ull);
		if (at > end)
			return;
	}
}

/* Loaded addresses of tables as file offsets: -1 if that is not in any segment's file part. */
static uint64_t to_offset(const struct elf_image *img, uint64_t va)
{
	for (unsigned int i = 0; i < img->nr_segments; i++)
		if (va >= img->seg[i].vaddr && va - img->seg[i].vaddr < img->seg[i].filesz)
			return img->seg[i].offset + (va - img->seg[i].vaddr);
	return UINT64_MAX;
}

struct dyn_values {
	uint64_t symtab, strtab, strsz, rela, relasz, relaent, hash, gnu_hash;
};

static void read_dynamic(const struct elf_image *img, const Elf64_Phdr *p, struct dyn_values *v)
{
	Elf64_Dyn d;

	if (!inside(p->p_offset, p->p_filesz, img->size))
		return;
	for (uint64_t i = 0; i < p->p_filesz / sizeof(d); i++) {
		memcpy(&d, img->bytes + p->p_offset + i * sizeof(d), sizeof(d));
		switch (d.d_tag) {
		case DT_NULL:
			return;
		case DT_SYMTAB:
			v->symtab = d.d_un.d_ptr;
			break;
		case DT_STRTAB:
			v->strtab = d.d_un.d_ptr;
			break;
		case DT_STRSZ:
			v->strsz = d.d_un.d_val;
			break;
		case DT_RELA:
			v->rela = d.d_un.d_ptr;
			break;
		case DT_RELASZ:
			v->relasz = d.d_un.d_val;
			break;
		case DT_RELAENT:
			v->relaent = d.d_un.d_val;
			break;
		case DT_HASH:
			v->hash = d.d_un.d_ptr;
			break;
		default:
			break;
		}
	}
}

/* The number of symbols is the chain count of DT_HASH, which amdgcn's linker always writes. */
static uint64_t count_symbols(const struct elf_image *img, const struct dyn_values *v)
{
	uint64_t off = v->hash ? to_offset(img, v->hash) : UINT64_MAX;
	uint32_t words[2];

	if (off == UINT64_MAX || !inside(off, sizeof(words), img->size))
		return 0;
	memcpy(words, img->bytes + off, sizeof(words));
	return words[1];
}

static int take_tables(struct elf_image *img, const struct dyn_values *v)
{
	uint64_t syms = count_symbols(img, v);

	if (!v->symtab || !v->strtab || !syms)
		return -ENOEXEC;
	img->dynsym.offset = to_offset(img, v->symtab);
	img->dynsym.size = syms * sizeof(Elf64_Sym);
	img->dynstr.offset = to_offset(img, v->strtab);
	img->dynstr.size = v->strsz;
	if (!inside(img->dynsym.offset, img->dynsym.size, img->size) ||
	    !inside(img->dynstr.offset, img->dynstr.size, img->size))
		return -ENOEXEC;
	if (!v->relasz)
		return 0;
	img->rela.offset = to_offset(img, v->rela);
	img->rela.size = v->relasz;
	if (v->relaent != sizeof(Elf64_Rela) ||
	    !inside(img->rela.offset, img->rela.size, img->size))
		return -ENOEXEC;
	return 0;
}

/**
 * elf_parse() - find in a code object what loading it needs
 *
 * Return: 0, -ENOEXEC if it is no code object or damaged, -ENOTSUP for a version unknown here.
 * @bytes must stay as long as @img is used.
 */
int elf_parse(struct elf_image *img, const void *bytes, size_t size)
{
	struct dyn_values v = { 0 };
	Elf64_Ehdr h;
	Elf64_Phdr p;
	int err;

	memset(img, 0, sizeof(*img));
	img->bytes = bytes;
	img->size = size;
	if (size < sizeof(h))
		return -ENOEXEC;
	memcpy(&h, bytes, sizeof(h));
	err = check_header(&h);
	if (err)
		return err;
	img->flags = h.e_flags;
	img->abi_version = h.e_ident[EI_ABIVERSION];
	if (!inside(h.e_phoff, (uint64_t)h.e_phnum * sizeof(p), size))
		return -ENOEXEC;

	/* segments first: the tables are found through them */
	for (int pass = 0; pass < 2; pass++) {
		for (unsigned int i = 0; i < h.e_phnum; i++) {
			memcpy(&p, img->bytes + h.e_phoff + i * sizeof(p), sizeof(p));
			if (!pass && p.p_type == PT_LOAD) {
				err = add_segment(img, &p);
				if (err)
					return err;
			} else if (pass && p.p_type == PT_DYNAMIC) {
				read_dynamic(img, &p, &v);
			} else if (pass && p.p_type == PT_NOTE && !img->metadata) {
				find_metadata(img, &p);
			}
		}
	}
	if (!img->nr_segments || !img->metadata)
		return -ENOEXEC;
	return take_tables(img, &v);
}

static void get_symbol(const struct elf_image *img, uint64_t i, Elf64_Sym *s)
{
	memcpy(s, img->bytes + img->dynsym.offset + i * sizeof(*s), sizeof(*s));
}

/**
 * elf_symbol() - value and size of a defined dynamic symbol
 *
 * Return: 0 or -ENOENT.
 */
int elf_symbol(const struct elf_image *img, const char *name, size_t len, uint64_t *value,
	       uint64_t *size)
{
	const char *str = (const char *)img->bytes + img->dynstr.offset;
	Elf64_Sym s;

	for (uint64_t i = 0; i < img->dynsym.size / sizeof(s); i++) {
		get_symbol(img, i, &s);
		if (s.st_shndx == SHN_UNDEF || !inside(s.st_name, len + 1, img->dynstr.size))
			continue;
		if (memcmp(str + s.st_name, name, len) || str[s.st_name + len])
			continue;
		*value = s.st_value;
		*size = s.st_size;
		return 0;
	}
	return -ENOENT;
}

size_t elf_nr_relocs(const struct elf_image *img)
{
	return img->rela.size / sizeof(Elf64_Rela);
}

int elf_reloc_at(const struct elf_image *img, size_t i, struct elf_reloc *r)
{
	Elf64_Rela rela;
	Elf64_Sym s = { 0 };
	uint64_t sym;

	memcpy(&rela, img->bytes + img->rela.offset + i * sizeof(rela), sizeof(rela));
	r->at = rela.r_offset;
	r->type = ELF64_R_TYPE(rela.r_info);
	r->addend = rela.r_addend;
	sym = ELF64_R_SYM(rela.r_info);
	if (sym >= img->dynsym.size / sizeof(s))
		return -ENOEXEC;
	if (sym)
		get_symbol(img, sym, &s);
	if (r->type == R_AMDGPU_ABS64 && s.st_shndx == SHN_UNDEF)
		return -ENOEXEC;
	r->symbol = s.st_value;
	return inside(r->at, 8, img->span) ? 0 : -ENOEXEC;
}
