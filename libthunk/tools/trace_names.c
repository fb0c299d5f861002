// SPDX-License-Identifier: MIT
/* Names of kernels, from the memory of the process that has loaded them; see trace_names.h. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "trace_names.h"

#define PAGE		4096u
#define IMAGE_MAX	(1u << 28)	/* from the header to a descriptor */
#define SEGMENTS_MAX	32
#define DYNAMIC_MAX	64
#define SYMBOLS_MAX	(1u << 20)
#define SYMBOLS_EACH	128	/* that are read at once */
#define EM_GPU		224	/* EM_AMDGPU, which the elf.h of older systems lacks */

/* What of a code object is needed here; addresses are those of the process. */
struct image {
	uint64_t base, symbols, strings, strings_bytes, nsymbols;
};

static bool get(const struct trace_memory *m, uint64_t va, void *to, size_t len)
{
	return va + len > va && m->read(m->from, va, to, len);
}

/* The nearest page below that begins with the header of a code object. Gaps end the search. */
static bool find_header(const struct trace_memory *m, uint64_t object, Elf64_Ehdr *h, uint64_t *base)
{
	uint64_t va = object & ~(uint64_t)(PAGE - 1);

	for (uint64_t back = 0; back < IMAGE_MAX && va >= PAGE; back += PAGE, va -= PAGE) {
		if (!get(m, va, h, sizeof(*h)))
			return false;
		if (!memcmp(h->e_ident, ELFMAG, SELFMAG) && h->e_ident[EI_CLASS] == ELFCLASS64 &&
		    h->e_machine == EM_GPU && h->e_phentsize == sizeof(Elf64_Phdr)) {
			*base = va;
			return true;
		}
	}
	return false;
}

static bool find_dynamic(const struct trace_memory *m, const Elf64_Ehdr *h, uint64_t base, uint64_t *va)
{
	Elf64_Phdr p[SEGMENTS_MAX];
	unsigned int n = h->e_phnum < SEGMENTS_MAX ? h->e_phnum : SEGMENTS_MAX;

	if (!get(m, base + h->e_phoff, p, n * sizeof(*p)))
		return false;
	for (unsigned int i = 0; i < n; i++)
		if (p[i].p_type == PT_DYNAMIC) {
			*va = base + p[i].p_vaddr;
			return true;
		}
	return false;
}

/* Loaders leave the dynamic section's addresses as the linker wrote them: relative to the header. */
static bool read_dynamic(const struct trace_memory *m, uint64_t va, struct image *img)
{
	uint32_t hash[2] = { 0, 0 };
	Elf64_Dyn d;

	for (unsigned int i = 0; i < DYNAMIC_MAX; i++) {
		if (!get(m, va + i * sizeof(d), &d, sizeof(d)) || d.d_tag == DT_NULL)
			break;
		if (d.d_tag == DT_SYMTAB)
			img->symbols = img->base + d.d_un.d_ptr;
		else if (d.d_tag == DT_STRTAB)
			img->strings = img->base + d.d_un.d_ptr;
		else if (d.d_tag == DT_STRSZ)
			img->strings_bytes = d.d_un.d_val;
		else if (d.d_tag == DT_HASH && !get(m, img->base + d.d_un.d_ptr, hash, sizeof(hash)))
			return false;
	}
	/* The chains of the hash are as many as there are symbols */
	img->nsymbols = hash[1] < SYMBOLS_MAX ? hash[1] : SYMBOLS_MAX;
	return img->symbols && img->strings;
}

/* Up to its end mark, or as much as can be read; ".kd" is what compilers add for descriptors. */
static bool read_name(const struct trace_memory *m, const struct image *img, uint64_t at,
		      char name[TRACE_NAME_MAX])
{
	size_t max, len;

	if (at >= img->strings_bytes)
		return false;
	max = img->strings_bytes - at < TRACE_NAME_MAX - 1 ? img->strings_bytes - at : TRACE_NAME_MAX - 1;
	if (!get(m, img->strings + at, name, max))
		return false;
	name[max] = 0;
	len = strlen(name);
	if (len > 3 && !strcmp(name + len - 3, ".kd"))
		name[len - 3] = 0;
	for (char *c = name; *c; c++)
		if (*c <= ' ' || *c > '~')
			*c = '?';
	return *name;
}

bool trace_find_name(const struct trace_memory *m, uint64_t object, char name[TRACE_NAME_MAX])
{
	Elf64_Sym s[SYMBOLS_EACH];
	struct image img = { 0 };
	Elf64_Ehdr h;
	uint64_t dynamic, n;

	if (!find_header(m, object, &h, &img.base) || !find_dynamic(m, &h, img.base, &dynamic) ||
	    !read_dynamic(m, dynamic, &img))
		return false;
	for (uint64_t i = 0; i < img.nsymbols; i += n) {
		n = img.nsymbols - i < SYMBOLS_EACH ? img.nsymbols - i : SYMBOLS_EACH;
		if (!get(m, img.symbols + i * sizeof(*s), s, n * sizeof(*s)))
			return false;
		for (uint64_t k = 0; k < n; k++)
			if (s[k].st_shndx && img.base + s[k].st_value == object)
				return read_name(m, &img, s[k].st_name, name);
	}
	return false;
}

/* ----------------------------------------------------------------- who was met */

static size_t place(const struct trace_kernel_id *slots, size_t room, uint32_t pid, uint64_t object)
{
	size_t at = (object / 64 * 0x9e3779b97f4a7c15ull + pid) >> 20 & (room - 1);

	while (slots[at].object && (slots[at].object != object || slots[at].pid != pid))
		at = (at + 1) & (room - 1);
	return at;
}

/* Half of it stays free */
static bool grow(struct trace_names *names)
{
	size_t room = names->room ? names->room * 2 : 256;
	struct trace_kernel_id *slots = calloc(room, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 0; i < names->room; i++)
		if (names->slots[i].object)
			slots[place(slots, room, names->slots[i].pid, names->slots[i].object)] =
				names->slots[i];
	free(names->slots);
	names->slots = slots;
	names->room = room;
	return true;
}

bool trace_names_new(struct trace_names *names, uint32_t pid, uint64_t object)
{
	size_t at;

	if (!object || (names->n * 2 >= names->room && !grow(names)))
		return false;
	at = place(names->slots, names->room, pid, object);
	if (names->slots[at].object)
		return false;
	names->slots[at] = (struct trace_kernel_id){ .object = object, .pid = pid };
	names->n++;
	return true;
}
