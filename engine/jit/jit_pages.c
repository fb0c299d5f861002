// SPDX-License-Identifier: MIT
/*
 * Where memory is that code of whole rows accesses: a look into the TLB. What is done again and again,
 * a loop's turns or waves one after another, mostly goes on in the page where it was the last time;
 * that page is remembered for each load and store, and looked at first. It is good until compiled code
 * returns, as a pointer from the TLB is.
 */
#include "jit_wide.h"

/* Where @span bytes at @va are, or NULL. What the TLB does not know it is told. */
static LLVMValueRef look_up(struct em *e, LLVMValueRef va, LLVMValueRef span, u32 access)
{
	LLVMBasicBlockRef slow = em_block(e), join = em_block(e), from[2];
	LLVMValueRef p[2], how = em_c32(e, access), fn, phi;

	p[0] = CALL(e, "jit_span", e->w, va, span, how);
	from[0] = LLVMGetInsertBlock(e->b);
	LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, p[0], LLVMConstNull(e->ptr), ""),
			slow, join);
	em_go(e, slow);
	fn = LLVMBuildLoad2(e->b, e->ptr, em_frame(e, offsetof(struct jit_frame, translate)), "");
	p[1] = CALL(e, "jit_span_slow", e->w, va, span, how, fn);
	from[1] = LLVMGetInsertBlock(e->b);
	LLVMBuildBr(e->b, join);
	em_go(e, join);
	phi = LLVMBuildPhi(e->b, e->ptr, "");
	LLVMAddIncoming(phi, p, from, 2);
	return phi;
}

void em_pages_begin(struct em *e, LLVMBasicBlockRef pre, LLVMBasicBlockRef head)
{
	e->wide->pre = pre;
	e->wide->head = head;
	e->wide->npages = 0;
}

/* What is known at the head of a turn; before the first one: nothing, as no address is below 0 */
static struct page *page_new(struct em *e)
{
	LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b);
	struct wide *w = e->wide;
	struct page *g = &w->page[w->npages++];
	LLVMValueRef zero = em_c64(e, 0), null = LLVMConstNull(e->ptr);

	LLVMPositionBuilder(e->b, w->head, LLVMGetFirstInstruction(w->head));
	g->va = LLVMBuildPhi(e->b, e->i64, "");
	g->host = LLVMBuildPhi(e->b, e->ptr, "");
	g->limit = LLVMBuildPhi(e->b, e->i64, "");
	LLVMAddIncoming(g->va, &zero, &w->pre, 1);
	LLVMAddIncoming(g->host, &null, &w->pre, 1);
	LLVMAddIncoming(g->limit, &zero, &w->pre, 1);
	em_go(e, here);
	return g;
}

LLVMValueRef em_look_up(struct em *e, LLVMValueRef va, LLVMValueRef span, u32 most, u32 access)
{
	LLVMTypeRef byte = LLVMInt8TypeInContext(e->c);
	LLVMBasicBlockRef known, ask, join, from[2];
	LLVMValueRef p[2], at[2], host[2], limit[2], off, phi;
	struct page *g;

	if (!e->wide->head || e->wide->npages == MAX_PAGES)
		return look_up(e, va, span, access);
	g = page_new(e);
	known = em_block(e);
	ask = em_block(e);
	join = em_block(e);
	off = LLVMBuildSub(e->b, va, g->va, "");
	LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntULT, off, g->limit, ""), known, ask);

	em_go(e, known);
	p[0] = LLVMBuildGEP2(e->b, byte, g->host, &off, 1, "");
	at[0] = g->va;
	host[0] = g->host;
	limit[0] = g->limit;
	from[0] = known;
	LLVMBuildBr(e->b, join);

	/* If there is no such page, the turn is given up, and what comes of it here with it. */
	em_go(e, ask);
	p[1] = look_up(e, va, span, access);
	at[1] = LLVMBuildAnd(e->b, va, em_c64(e, -ISA_PAGE_BYTES), "");
	off = LLVMBuildSub(e->b, at[1], va, "");
	host[1] = LLVMBuildGEP2(e->b, byte, p[1], &off, 1, "");
	limit[1] = em_c64(e, ISA_PAGE_BYTES - most + 1);
	from[1] = LLVMGetInsertBlock(e->b);
	LLVMBuildBr(e->b, join);

	em_go(e, join);
	phi = LLVMBuildPhi(e->b, e->ptr, "");
	LLVMAddIncoming(phi, p, from, 2);
	g->va_end = LLVMBuildPhi(e->b, e->i64, "");
	LLVMAddIncoming(g->va_end, at, from, 2);
	g->host_end = LLVMBuildPhi(e->b, e->ptr, "");
	LLVMAddIncoming(g->host_end, host, from, 2);
	g->limit_end = LLVMBuildPhi(e->b, e->i64, "");
	LLVMAddIncoming(g->limit_end, limit, from, 2);
	return phi;
}

void em_pages_end(struct em *e, LLVMBasicBlockRef from)
{
	struct wide *w = e->wide;
	u32 n;

	for (n = 0; n < w->npages; n++) {
		LLVMAddIncoming(w->page[n].va, &w->page[n].va_end, &from, 1);
		LLVMAddIncoming(w->page[n].host, &w->page[n].host_end, &from, 1);
		LLVMAddIncoming(w->page[n].limit, &w->page[n].limit_end, &from, 1);
	}
}
