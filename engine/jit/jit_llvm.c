// SPDX-License-Identifier: MIT
/* From a unit to machine code: LLVM 19 through its C API. */
#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "jit_object.h"
#include "jit_unit.h"

/* prims.c as bitcode, put into the library by prims_bc.S */
extern const char jit_prims_avx2[], jit_prims_avx2_end[];
extern const char jit_prims_avx512[], jit_prims_avx512_end[];

#define PASSES	"always-inline,globaldce,"						\
		"function(sroa,early-cse<memssa>,simplifycfg,gvn,dse,loop-mssa(licm),"	\
		"instcombine<no-verify-fixpoint>,simplifycfg)"

struct jit_llvm {
	LLVMTargetMachineRef tm;
	const char *bc;
	size_t bytes;
	u32 steps;
	bool verify;
};

/* Of this thread's processor time */
static u64 now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (u64)t.tv_sec * 1000000000ull + (u64)t.tv_nsec;
}

static bool complain(LLVMErrorRef err)
{
	char *text;

	if (!err)
		return false;
	text = LLVMGetErrorMessage(err);
	fprintf(stderr, "jit: %s\n", text);
	LLVMDisposeErrorMessage(text);
	return true;
}

struct jit_llvm *jit_llvm_create(const char *lane, bool verify)
{
	struct jit_llvm *l = calloc(1, sizeof(*l));
	char *triple, *err = NULL;
	LLVMTargetRef target;

	if (!l)
		return NULL;
	l->verify = verify;
	if (!strcmp(lane, "avx512")) {
		l->bc = jit_prims_avx512;
		l->bytes = (size_t)(jit_prims_avx512_end - jit_prims_avx512);
		l->steps = 4;
	} else if (!strcmp(lane, "avx2")) {
		l->bc = jit_prims_avx2;
		l->bytes = (size_t)(jit_prims_avx2_end - jit_prims_avx2);
		l->steps = 8;
	} else {
		free(l);
		return NULL;
	}
	LLVMInitializeX86TargetInfo();
	LLVMInitializeX86Target();
	LLVMInitializeX86TargetMC();
	LLVMInitializeX86AsmPrinter();
	LLVMInitializeX86AsmParser();
	triple = LLVMGetDefaultTargetTriple();
	if (!LLVMGetTargetFromTriple(triple, &target, &err)) {
		char *cpu = LLVMGetHostCPUName();

		l->tm = LLVMCreateTargetMachine(target, triple, cpu, "", LLVMCodeGenLevelDefault,
						LLVMRelocPIC, LLVMCodeModelSmall);
		LLVMDisposeMessage(cpu);
	}
	LLVMDisposeMessage(triple);
	if (!l->tm) {
		jit_llvm_destroy(l);
		return NULL;
	}
	return l;
}

void jit_llvm_destroy(struct jit_llvm *l)
{
	if (l->tm)
		LLVMDisposeTargetMachine(l->tm);
	free(l);
}

/*
 * A module of @name and what that calls. The bodies of others are not even read: that would be most
 * of what a small unit costs. @all goes.
 */
static LLVMModuleRef only_needed(LLVMModuleRef all, const char *name)
{
	LLVMModuleRef m = LLVMModuleCreateWithNameInContext("code", LLVMGetModuleContext(all));
	LLVMValueRef fn;

	LLVMSetTarget(m, LLVMGetTarget(all));
	LLVMSetDataLayout(m, LLVMGetDataLayoutStr(all));
	/* What is "linkonce" is linked if it is asked for. */
	for (fn = LLVMGetFirstFunction(all); fn; fn = LLVMGetNextFunction(fn))
		if (!LLVMIsDeclaration(fn) && strcmp(LLVMGetValueName(fn), name))
			LLVMSetLinkage(fn, LLVMLinkOnceODRLinkage);
	if (LLVMLinkModules2(m, all)) {
		LLVMDisposeModule(m);
		return NULL;
	}
	for (fn = LLVMGetFirstFunction(m); fn; fn = LLVMGetNextFunction(fn))
		if (!LLVMIsDeclaration(fn) && strcmp(LLVMGetValueName(fn), name))
			LLVMSetLinkage(fn, LLVMInternalLinkage);
	return m;
}

static LLVMMemoryBufferRef to_object(struct jit_llvm *l, LLVMModuleRef m)
{
	LLVMPassBuilderOptionsRef opts = LLVMCreatePassBuilderOptions();
	LLVMMemoryBufferRef obj = NULL;
	char *err = NULL;
	bool bad;

	bad = l->verify && LLVMVerifyModule(m, LLVMPrintMessageAction, NULL);
	bad = bad || complain(LLVMRunPasses(m, PASSES, l->tm, opts));
	if (!bad && LLVMTargetMachineEmitToMemoryBuffer(l->tm, m, LLVMObjectFile, &err, &obj)) {
		fprintf(stderr, "jit: %s\n", err);
		LLVMDisposeMessage(err);
		obj = NULL;
	}
	LLVMDisposePassBuilderOptions(opts);
	return obj;
}

static bool to_code(LLVMMemoryBufferRef obj, const char *name, struct jit_blob *b)
{
	b->code = jit_object_flatten((const u8 *)LLVMGetBufferStart(obj), LLVMGetBufferSize(obj),
				     name, &b->entry, &b->bytes);
	if (!b->code)
		fprintf(stderr, "jit: the code needs something from outside\n");
	LLVMDisposeMemoryBuffer(obj);
	return b->code;
}

bool jit_llvm_compile(struct jit_llvm *l, struct jit_unit *u, struct jit_blob *b)
{
	LLVMContextRef c = LLVMContextCreate();
	LLVMMemoryBufferRef buf, obj = NULL;
	LLVMModuleRef m;
	u64 start = now();

	memset(b, 0, sizeof(*b));
	buf = LLVMCreateMemoryBufferWithMemoryRange(l->bc, l->bytes, "prims", false);
	if (LLVMGetBitcodeModuleInContext2(c, buf, &m)) {
		fprintf(stderr, "jit: no bitcode\n");
		LLVMDisposeMemoryBuffer(buf);	/* otherwise it is the module's */
		m = NULL;
	} else if (jit_emit(u, m, "unit", l->steps)) {
		m = only_needed(m, "unit");
		obj = m ? to_object(l, m) : NULL;
	}
	if (m)
		LLVMDisposeModule(m);
	if (obj)
		to_code(obj, "unit", b);
	LLVMContextDispose(c);
	b->ns = now() - start;
	return b->code;
}
