// SPDX-License-Identifier: MIT
/*
 * Links an object file with itself: sections that are used at run time, side by side, and the
 * differences between addresses filled in. An object that asks for a symbol of somebody else,
 * or for an absolute address, is refused. What a relocation means: System V ABI, AMD64
 * supplement, "Relocation types".
 */
#include <elf.h>
#include <stdlib.h>

#include "jit_object.h"

#define MAX_BYTES	(8u << 20)
#define MAX_SECTIONS	64u
#define NOWHERE		(~0ull)

struct object {
	const u8 *file;
	size_t bytes;
	const Elf64_Shdr *sh;
	u32 nsh;
	u64 at[MAX_SECTIONS];	/* where sections go */
	u8 *out;
	u64 size;
};

static bool lies_within(const struct object *o, u64 at, u64 n)
{
	return at <= o->bytes && n <= o->bytes - at;
}

static bool is_wanted(const Elf64_Shdr *s, const char *name)
{
	return s->sh_flags & SHF_ALLOC && s->sh_size && strcmp(name, ".eh_frame");
}

static const char *section_name(const struct object *o, const Elf64_Ehdr *h, u32 n)
{
	const Elf64_Shdr *s = &o->sh[h->e_shstrndx];

	return (const char *)o->file + s->sh_offset + o->sh[n].sh_name;
}

static bool place_sections(struct object *o, const Elf64_Ehdr *h)
{
	u32 n;

	for (n = 0; n < o->nsh; n++) {
		const Elf64_Shdr *s = &o->sh[n];
		u64 align = s->sh_addralign ?: 1;

		o->at[n] = NOWHERE;
		if (!is_wanted(s, section_name(o, h, n)))
			continue;
		/* Neither what is written nor what is zeroed belongs to code. */
		if (s->sh_type != SHT_PROGBITS || s->sh_flags & SHF_WRITE || align > 64 ||
		    !lies_within(o, s->sh_offset, s->sh_size))
			return false;
		o->at[n] = (o->size + align - 1) & -align;
		o->size = o->at[n] + s->sh_size;
		if (o->size > MAX_BYTES)
			return false;
	}
	o->out = calloc(1, o->size ?: 1);
	for (n = 0; o->out && n < o->nsh; n++)
		if (o->at[n] != NOWHERE)
			memcpy(o->out + o->at[n], o->file + o->sh[n].sh_offset, o->sh[n].sh_size);
	return o->out;
}

static bool symbol_at(const struct object *o, const Elf64_Shdr *symtab, u64 n, u64 *at)
{
	const Elf64_Sym *sym = (const Elf64_Sym *)(o->file + symtab->sh_offset) + n;

	if (n >= symtab->sh_size / sizeof(*sym) || sym->st_shndx >= o->nsh ||
	    o->at[sym->st_shndx] == NOWHERE)
		return false;
	*at = o->at[sym->st_shndx] + sym->st_value;
	return true;
}

static bool relocate(struct object *o, const Elf64_Shdr *rela)
{
	const Elf64_Rela *r = (const Elf64_Rela *)(o->file + rela->sh_offset);
	const Elf64_Shdr *symtab = &o->sh[rela->sh_link], *to = &o->sh[rela->sh_info];
	u64 n, s;

	for (n = 0; n < rela->sh_size / sizeof(*r); n++, r++) {
		u64 p = o->at[rela->sh_info] + r->r_offset;
		s64 v;
		s32 v32;

		if (to->sh_size < 4 || r->r_offset > to->sh_size - 4 ||
		    !symbol_at(o, symtab, ELF64_R_SYM(r->r_info), &s))
			return false;
		if (ELF64_R_TYPE(r->r_info) != R_X86_64_PC32 &&
		    ELF64_R_TYPE(r->r_info) != R_X86_64_PLT32)
			return false;
		v = (s64)(s + (u64)r->r_addend - p);
		v32 = (s32)v;
		if (v32 != v)
			return false;
		memcpy(o->out + p, &v32, 4);
	}
	return true;
}

static bool relocate_all(struct object *o)
{
	u32 n;

	for (n = 0; n < o->nsh; n++) {
		const Elf64_Shdr *s = &o->sh[n];

		if (s->sh_type == SHT_REL)
			return false;
		if (s->sh_type != SHT_RELA || s->sh_info >= o->nsh || o->at[s->sh_info] == NOWHERE)
			continue;
		if (s->sh_link >= o->nsh || o->sh[s->sh_link].sh_type != SHT_SYMTAB ||
		    !lies_within(o, s->sh_offset, s->sh_size) ||
		    !lies_within(o, o->sh[s->sh_link].sh_offset, o->sh[s->sh_link].sh_size) ||
		    !relocate(o, s))
			return false;
	}
	return true;
}

static bool find_function(const struct object *o, const char *name, u64 *entry)
{
	size_t len = strlen(name) + 1;
	u32 n;
	u64 k;

	for (n = 0; n < o->nsh; n++) {
		const Elf64_Shdr *s = &o->sh[n], *str;
		const Elf64_Sym *sym = (const Elf64_Sym *)(o->file + s->sh_offset);

		if (s->sh_type != SHT_SYMTAB || s->sh_link >= o->nsh)
			continue;
		str = &o->sh[s->sh_link];
		for (k = 0; k < s->sh_size / sizeof(*sym); k++)
			if (lies_within(o, str->sh_offset + sym[k].st_name, len) &&
			    !memcmp(o->file + str->sh_offset + sym[k].st_name, name, len))
				return symbol_at(o, s, k, entry);
	}
	return false;
}

u8 *jit_object_flatten(const u8 *obj, size_t bytes, const char *name, u64 *entry,
		       size_t *out_bytes)
{
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)obj;
	struct object o = { .file = obj, .bytes = bytes };

	if (bytes < sizeof(*h) || memcmp(h->e_ident, ELFMAG, SELFMAG) ||
	    h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_machine != EM_X86_64 ||
	    h->e_type != ET_REL || h->e_shnum > MAX_SECTIONS || h->e_shstrndx >= h->e_shnum ||
	    !lies_within(&o, h->e_shoff, (u64)h->e_shnum * sizeof(Elf64_Shdr)))
		return NULL;
	o.sh = (const Elf64_Shdr *)(obj + h->e_shoff);
	o.nsh = h->e_shnum;
	if (place_sections(&o, h) && relocate_all(&o) && find_function(&o, name, entry)) {
		*out_bytes = o.size;
		return o.out;
	}
	free(o.out);
	return NULL;
}
