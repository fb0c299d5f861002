// SPDX-License-Identifier: MIT
/*
 * The file is a header, which says whose code it is, and records, one behind the other. Records
 * are only ever added, and each has a sum: one that a crash has cut ends the file. Nothing in it is
 * trusted but the code itself, and that because the file is nobody's but this user's.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "jit_store.h"

#define MAGIC		0x31646f632d6a6676ull	/* "vfj-cod1" */
#define RECORD		0x64726f63u
#define MAX_BYTES	(64ul << 20)
#define BEGIN_ANEW	(MAX_BYTES / 8 * 7)
#define BUCKETS		1024u
#define KEEP_SECONDS	(30l * 24 * 3600)
#define SUFFIX		".units"

struct header {
	u64 magic;
	char whose[1008];
	u64 sum;		/* of all before it */
};

/* @what_bytes, rounded up to 8, and @bytes behind it; the next record is at a multiple of 64 */
struct record {
	u32 magic, what_bytes, bytes, entry;
	u64 sum;		/* of what is behind it, and of the three sizes */
};

struct unit {
	struct unit *next;
	struct jit_stored is;
};

struct jit_store {
	bool adds;
	u64 end;		/* where the next record goes */
	struct unit *bucket[BUCKETS];
};

/* FNV-1a by words, for accidents only; @p is aligned to 8 bytes, and so is @n or it is the end */
static u64 sum(u64 h, const void *p, size_t n)
{
	const u8 *b = p;
	u64 v;

	for (; n >= 8; n -= 8, b += 8) {
		memcpy(&v, b, 8);
		h = (h ^ v) * 0x100000001b3ull;
		h ^= h >> 29;
	}
	for (; n; n--)
		h = (h ^ *b++) * 0x100000001b3ull;
	return h;
}

static u64 record_sum(const struct record *r, const void *what, const void *code)
{
	u64 h = sum(0xcbf29ce484222325ull, &r->what_bytes, 3 * sizeof(u32));

	return sum(sum(h, what, r->what_bytes), code, r->bytes);
}

static u64 code_at(u64 record, u32 what_bytes)
{
	return record + sizeof(struct record) + (((u64)what_bytes + 7) & -8ull);
}

/* ------------------------------------------------------- what the file holds */

static struct unit **bucket_of(const struct jit_store *s, const void *what, u32 bytes)
{
	return (struct unit **)&s->bucket[sum(1, what, bytes) % BUCKETS];
}

static bool learn(struct jit_store *s, const struct jit_stored *is)
{
	struct unit **b = bucket_of(s, is->what, is->what_bytes), *u = malloc(sizeof(*u));

	if (!u)
		return false;
	u->is = *is;
	u->next = *b;
	*b = u;
	return true;
}

/* Records up to the first that is none */
static void read_records(struct jit_store *s, const u8 *file, u64 size)
{
	struct jit_stored is;
	struct record r;
	u64 code;

	for (s->end = sizeof(struct header); s->end <= size && size - s->end >= sizeof(r);) {
		memcpy(&r, file + s->end, sizeof(r));
		code = code_at(s->end, r.what_bytes);
		if (r.magic != RECORD || r.entry >= r.bytes || code > size || r.bytes > size - code)
			break;
		is = (struct jit_stored){
			.what = file + s->end + sizeof(r), .what_bytes = r.what_bytes,
			.code = file + code, .bytes = r.bytes, .entry = r.entry,
		};
		if (r.sum != record_sum(&r, is.what, is.code) || !learn(s, &is))
			break;
		s->end = (code + r.bytes + 63) & -64ull;
	}
}

bool jit_store_find(const struct jit_store *s, const void *what, u32 bytes, struct jit_stored *out)
{
	const struct unit *u;

	for (u = *bucket_of(s, what, bytes); u; u = u->next)
		if (u->is.what_bytes == bytes && !memcmp(u->is.what, what, bytes)) {
			*out = u->is;
			return true;
		}
	return false;
}

static bool write_all(const void *p, size_t n, u64 at)
{
	return pwrite(JIT_STORE_FD, p, n, (off_t)at) == (ssize_t)n;
}

void jit_store_add(struct jit_store *s, const struct jit_stored *unit)
{
	struct record r = {
		.magic = RECORD, .what_bytes = unit->what_bytes, .bytes = unit->bytes,
		.entry = unit->entry,
	};
	u64 code = code_at(s->end, r.what_bytes), end = (code + r.bytes + 63) & -64ull;

	if (!s->adds || end > MAX_BYTES)
		return;
	r.sum = record_sum(&r, unit->what, unit->code);
	/* The record's own words come last: until then it is none. */
	s->adds = write_all(unit->what, r.what_bytes, s->end + sizeof(r)) &&
		  write_all(unit->code, r.bytes, code) && write_all(&r, sizeof(r), s->end);
	s->end = end;
}

/* ------------------------------------------------------------ whose code it is */

struct whose {
	char *at, *end;
	bool lacks;
};

static void put(struct whose *w, const char *text)
{
	while (*text && w->at < w->end)
		*w->at++ = *text++;
	w->lacks |= *text;
}

static bool put_build_id(struct whose *w, const u8 *note, size_t bytes)
{
	while (bytes >= sizeof(Elf64_Nhdr)) {
		const Elf64_Nhdr *n = (const Elf64_Nhdr *)note;
		size_t name = (n->n_namesz + 3ul) & -4ul, desc = (n->n_descsz + 3ul) & -4ul;
		char hex[4];
		u32 k;

		if (name > bytes - sizeof(*n) || desc > bytes - sizeof(*n) - name)
			return false;
		note += sizeof(*n) + name;
		if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 &&
		    !memcmp(note - name, "GNU", 4)) {
			for (k = 0; k < n->n_descsz; k++) {
				snprintf(hex, sizeof(hex), "%02x", note[k]);
				put(w, hex);
			}
			put(w, " ");
			return n->n_descsz;
		}
		note += desc;
		bytes -= sizeof(*n) + name + desc;
	}
	return false;
}

/* The program itself, and LLVM, make the code. The others do not. */
static int put_object(struct dl_phdr_info *info, size_t size, void *priv)
{
	struct whose *w = priv;
	int n;

	(void)size;
	if (*info->dlpi_name && !strstr(info->dlpi_name, "LLVM"))
		return 0;
	for (n = 0; n < info->dlpi_phnum; n++) {
		const Elf64_Phdr *p = &info->dlpi_phdr[n];

		if (p->p_type == PT_NOTE &&
		    put_build_id(w, (const u8 *)(info->dlpi_addr + p->p_vaddr), p->p_memsz))
			return 0;
	}
	w->lacks = true;
	return 0;
}

static bool make_header(struct header *h, const char *about)
{
	struct whose w = { h->whose, h->whose + sizeof(h->whose) - 1, false };

	memset(h, 0, sizeof(*h));
	h->magic = MAGIC;
	dl_iterate_phdr(put_object, &w);
	put(&w, about);
	h->sum = sum(0, h, offsetof(struct header, sum));
	return !w.lacks;
}

/* --------------------------------------------------------------------- opening */

static bool is_ours_alone(int fd, mode_t type, struct stat *st)
{
	return !fstat(fd, st) && (st->st_mode & S_IFMT) == type && st->st_uid == geteuid() &&
	       !(st->st_mode & 0022);
}

/* A descriptor of the file, which is ours alone, or -1 */
static int open_file(int dir, const char *name, bool *adds, struct stat *st)
{
	int fd = openat(dir, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);

	*adds = fd >= 0;
	if (fd < 0)
		fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -1;
	*adds = *adds && !flock(fd, LOCK_EX | LOCK_NB);
	if (is_ours_alone(fd, S_IFREG, st) && st->st_size >= 0)
		return fd;
	close(fd);
	return -1;
}

static void remove_old_ones(int dir, const char *but)
{
	int fd = dup(dir), looked = 0;
	time_t now = time(NULL);
	struct dirent *e;
	struct stat st;
	DIR *d;

	d = fd >= 0 ? fdopendir(fd) : NULL;
	if (!d) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while (looked++ < 1000 && (e = readdir(d))) {
		size_t n = strlen(e->d_name);

		if (n > strlen(SUFFIX) && !strcmp(e->d_name + n - strlen(SUFFIX), SUFFIX) &&
		    strcmp(e->d_name, but) && !fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) &&
		    S_ISREG(st.st_mode) && st.st_mtime < now - KEEP_SECONDS)
			unlinkat(dir, e->d_name, 0);
	}
	closedir(d);
}

static void read_file(struct jit_store *s, int fd, const struct header *h, u64 size)
{
	const u8 *file;

	s->end = 0;
	if (size < sizeof(*h))
		return;
	size = size < MAX_BYTES ? size : MAX_BYTES;
	file = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file == MAP_FAILED)
		s->adds = false;	/* nobody knows where its end is */
	else if (!memcmp(file, h, sizeof(*h)))
		read_records(s, file, size);
}

/* Who adds makes it a file that ends where its last record does. */
static bool prepare(struct jit_store *s, int fd, const struct header *h)
{
	if (!s->end) {
		if (ftruncate(fd, 0) || pwrite(fd, h, sizeof(*h), 0) != sizeof(*h))
			return false;
		s->end = sizeof(*h);
	}
	return !ftruncate(fd, (off_t)s->end) && !futimens(fd, NULL);
}

static struct jit_store *open_in(int dir, const struct header *h)
{
	struct jit_store *s = calloc(1, sizeof(*s));
	char name[32];
	struct stat st;
	int fd;

	if (!s)
		return NULL;
	snprintf(name, sizeof(name), "%016llx" SUFFIX, (unsigned long long)h->sum);
	fd = open_file(dir, name, &s->adds, &st);
	/* Others may still read the old file: it goes on to be, but without a name. */
	if (fd >= 0 && s->adds && st.st_size > (off_t)BEGIN_ANEW && !unlinkat(dir, name, 0)) {
		close(fd);
		fd = open_file(dir, name, &s->adds, &st);
	}
	if (fd < 0) {
		free(s);
		return NULL;
	}
	read_file(s, fd, h, (u64)st.st_size);
	s->adds = s->adds && prepare(s, fd, h);
	if (s->adds)
		remove_old_ones(dir, name);
	if (fd != JIT_STORE_FD) {
		s->adds = dup2(fd, JIT_STORE_FD) == JIT_STORE_FD && s->adds;
		close(fd);
	}
	return s;
}

struct jit_store *jit_store_open(int dir, const char *about)
{
	struct jit_store *s = NULL;
	struct header h;
	struct stat st;
	/* Away from the number that the file is to have */
	int at = fcntl(dir, F_DUPFD_CLOEXEC, JIT_STORE_FD + 1);

	close(dir);
	if (at < 0)
		return NULL;
	if (is_ours_alone(at, S_IFDIR, &st) && make_header(&h, about))
		s = open_in(at, &h);
	close(at);
	return s;
}
