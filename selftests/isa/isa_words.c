// SPDX-License-Identifier: MIT
/*
 * Random words by our decoder and by LLVM's, in one process, as llvm-mc would take a
 * hundred times as long for them.
 *	isa_words TARGET SEED COUNT LIBRARY [FEATURES]
 * LIBRARY is LLVM's, any version from 19 on: what is called of its C interface is the same in all.
 * FEATURES are its, such as "+real-true16", besides those of the target.
 * prints what the two see differently, words, our text and LLVM's a line, tabs between them, a text being empty if there
 * is no instruction, and at the end "# N words, M valid, K died": of these, LLVM's disassembler dies.
 * Whether a difference matters is not said here (isa_decode_rdna.py has the list of exceptions).
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include "tables.h"

/* As many as an instruction may have */
#define WORDS 5

/* What the child that decodes has done; it may die of any word. */
struct progress {
	unsigned long done, valid, died;
};

/* What is used of the library */
static struct {
	typeof(LLVMInitializeAMDGPUTargetInfo) *target_info;
	typeof(LLVMInitializeAMDGPUTarget) *target;
	typeof(LLVMInitializeAMDGPUTargetMC) *target_mc;
	typeof(LLVMInitializeAMDGPUDisassembler) *disassembler;
	typeof(LLVMCreateDisasmCPUFeatures) *create;
	typeof(LLVMDisasmInstruction) *instruction;
} llvm_api;

static bool load(const char *library)
{
	static const struct {
		const char *name;
		void *to;
	} names[] = {
		{ "LLVMInitializeAMDGPUTargetInfo", &llvm_api.target_info },
		{ "LLVMInitializeAMDGPUTarget", &llvm_api.target },
		{ "LLVMInitializeAMDGPUTargetMC", &llvm_api.target_mc },
		{ "LLVMInitializeAMDGPUDisassembler", &llvm_api.disassembler },
		{ "LLVMCreateDisasmCPUFeatures", &llvm_api.create },
		{ "LLVMDisasmInstruction", &llvm_api.instruction },
	};
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL), *f;
	unsigned int i;

	for (i = 0; handle && i < sizeof(names) / sizeof(*names); i++) {
		f = dlsym(handle, names[i].name);
		if (!f)
			return false;
		memcpy(names[i].to, &f, sizeof(f));
	}
	return handle;
}

static u64 random_word(u64 *state)
{
	u64 z = *state += 0x9e3779b97f4a7c15;	/* SplitMix64 */

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* The words of number @n of the sequence @seed */
static void words_of(u64 seed, unsigned long n, u32 *words)
{
	u64 state = seed ^ n * 0xd1342543de82ef95;
	unsigned int i;

	for (i = 0; i < WORDS; i++)
		words[i] = random_word(&state) >> 32;
}

/* Comments, double spaces and those at the ends away, as isa_decode.py does with llvm-mc's text */
static void plain(char *text)
{
	char *to = text, *from = text;

	/* It warns of registers that are aligned for it, too; llvm-mc prints none of that. */
	from[strcspn(from, ";")] = '\0';
	for (; *from; from++) {
		char c = isspace((unsigned char)*from) ? ' ' : *from;

		if (c != ' ' || (to > text && to[-1] != ' '))
			*to++ = c;
	}
	while (to > text && to[-1] == ' ')
		to--;
	*to = '\0';
}

struct seen {
	int len;	/* words of the instruction, 0 if there is none */
	char mine[512], theirs[512];
};

/* Do both say the same of these words? */
static bool agree(const struct isa_target *t, LLVMDisasmContextRef llvm, u32 *words,
		  struct seen *seen)
{
	struct isa_insn in;
	int len = isa_decode(t, words, WORDS, &in);
	size_t size;

	seen->len = len > 0 ? len : 0;
	seen->mine[0] = seen->theirs[0] = '\0';
	/* LLVM gets just the words that we say it takes, or all of them. */
	size = llvm_api.instruction(llvm, (u8 *)words, 4 * (seen->len ?: WORDS), 0, seen->theirs,
				    sizeof(seen->theirs));
	if (!size)
		seen->theirs[0] = '\0';
	plain(seen->theirs);
	if (!seen->len)
		return !size;
	if (isa_disasm(t, &in, seen->mine, sizeof(seen->mine)) < 0) {
		strcpy(seen->mine, "cannot be printed");
		return false;
	}
	return size == 4 * (size_t)seen->len && !strcmp(seen->mine, seen->theirs);
}

static void print_seen(const u32 *words, const struct seen *seen)
{
	int i, n = seen->len ?: WORDS;

	for (i = 0; i < n; i++)
		printf("%08x%s", words[i], i + 1 < n ? " " : "");
	printf("\t%s\t%s\n", seen->mine, seen->theirs);
	/* A child that dies prints nothing at its end. */
	fflush(stdout);
}

static void work(const struct isa_target *t, LLVMDisasmContextRef llvm, u64 seed,
		 unsigned long count, struct progress *p)
{
	while (p->done < count) {
		u32 words[WORDS];
		struct seen seen;

		words_of(seed, p->done, words);
		if (!agree(t, llvm, words, &seen))
			print_seen(words, &seen);
		p->valid += seen.len > 0;
		p->done++;
	}
}

int main(int argc, char **argv)
{
	const struct isa_target *t = argc == 5 || argc == 6 ? isa_target_by_name(argv[1]) : NULL;
	LLVMDisasmContextRef llvm;
	unsigned long count;
	struct progress *p;
	u64 seed;

	if (!t) {
		fprintf(stderr, "usage: isa_words TARGET SEED COUNT LIBRARY [FEATURES]\n");
		return 2;
	}
	seed = strtoull(argv[2], NULL, 0) * 0x9e3779b97f4a7c15;
	count = strtoul(argv[3], NULL, 0);
	if (!load(argv[4])) {
		fprintf(stderr, "isa_words: %s\n", dlerror());
		return 1;
	}
	llvm_api.target_info();
	llvm_api.target();
	llvm_api.target_mc();
	llvm_api.disassembler();
	llvm = llvm_api.create("amdgcn", argv[1], argv[5] ?: "", NULL, 0, NULL, NULL);
	p = mmap(NULL, sizeof(*p), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!llvm || p == MAP_FAILED) {
		fprintf(stderr, "isa_words: LLVM does not know %s\n", argv[1]);
		return 1;
	}
	while (p->done < count) {
		int status;
		pid_t pid = fork();

		if (!pid) {
			work(t, llvm, seed, count, p);
			_exit(0);
		}
		if (pid < 0 || (waitpid(pid, &status, 0) < 0 && errno != EINTR)) {
			perror("isa_words");
			return 1;
		}
		if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE)
			return 1;		/* nobody reads any more */
		if (p->done < count) {		/* It died of this one. */
			p->died++;
			p->done++;
			if (p->died > 100 + count / 100) {
				fprintf(stderr, "isa_words: LLVM dies of one word after the other\n");
				return 1;
			}
		}
	}
	printf("# %lu words, %lu valid, %lu died\n", count, p->valid, p->died);
	return 0;
}
