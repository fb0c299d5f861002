/* SPDX-License-Identifier: MIT */
/*
 * A firmware of 64 KiB that does what a kernel needs of a virtual machine, and then
 * says so by the status of QEMU's process: see accel.py. It goes from the reset
 * vector to 64-bit code with page tables of its own, computes for what a real CPU needs
 * some 20 ms, and waits for ten timer interrupts. Virtual machines that only look
 * like ones (an emulator of real mode, interrupts that never come) do not get to the
 * end, or not in time.
 *
 * The file starts at physical 0xf0000, where the last 64 KiB of a firmware are seen.
 */
	.set	BASE, 0xf0000
	.set	EXIT_PORT, 0xf4
	.set	WORKS, 0x15		/* QEMU exits with twice that, and one */
	.set	PML4, 0x1000
	.set	PDPT, 0x2000
	.set	PD, 0x3000
	.set	IDT, 0x4000
	.set	STACK, 0x8000
	.set	ROUNDS, 50000000
	.set	TICKS, 10

	.org	0xe000
	.code16
real_mode:
	lgdtl	%cs:gdt_pointer
	movl	%cr0, %eax
	orb	$1, %al
	movl	%eax, %cr0
	ljmpl	$8, $BASE + protected_mode

	.code32
protected_mode:
	movw	$16, %ax
	movw	%ax, %ds
	movw	%ax, %es
	movw	%ax, %ss
	movl	$STACK, %esp

	/* The local APIC lets interrupts of the old controller through */
	movl	$0x1ff, 0xfee000f0
	movl	$0x700, 0xfee00350

	/* The first GiB where it is, by pages of 2 MiB */
	cld
	movl	$PML4, %edi
	xorl	%eax, %eax
	movl	$0x3000 / 4, %ecx
	rep stosl
	movl	$PDPT | 3, PML4
	movl	$PD | 3, PDPT
	movl	$PD, %edi
	movl	$0x83, %eax
1:	movl	%eax, (%edi)
	addl	$8, %edi
	addl	$0x200000, %eax
	cmpl	$0x40000083, %eax
	jne	1b

	movl	$PML4, %eax
	movl	%eax, %cr3
	movl	$0x620, %eax		/* PAE, and SSE */
	movl	%eax, %cr4
	movl	$0xc0000080, %ecx
	rdmsr
	orl	$0x100, %eax		/* EFER.LME */
	wrmsr
	movl	$0x80000013, %eax	/* PG, ET, MP, PE */
	movl	%eax, %cr0
	ljmpl	$24, $BASE + long_mode

	.code64
long_mode:
	/* Something to compute, in both kinds of registers */
	movl	$ROUNDS, %ecx
	xorl	%eax, %eax
	pxor	%xmm0, %xmm0
	pcmpeqd	%xmm1, %xmm1
1:	addq	%rcx, %rax
	psubq	%xmm1, %xmm0
	decl	%ecx
	jnz	1b
	movq	%xmm0, %rdx
	cmpq	$ROUNDS, %rdx
	jne	fail

	/* Interrupt 32 is the timer's, a thousand a second */
	movl	$IDT, %edi
	xorl	%eax, %eax
	movl	$33 * 4, %ecx
	rep stosl
	movl	$BASE + tick, %eax
	movl	$IDT + 32 * 16, %edi
	movw	%ax, (%rdi)
	movw	$24, 2(%rdi)
	movw	$0x8e00, 4(%rdi)
	shrl	$16, %eax
	movw	%ax, 6(%rdi)
	lidt	BASE + idt_pointer
	movl	$BASE + ports, %esi
1:	lodsw
	movzwl	%ax, %edx
	testl	%edx, %edx
	jz	2f
	lodsb
	outb	%al, %dx
	jmp	1b

2:	xorl	%ebx, %ebx
	sti
1:	hlt
	cmpl	$TICKS, %ebx
	jb	1b
	movb	$WORKS, %al
	outb	%al, $EXIT_PORT
fail:
	cli
	hlt
	jmp	fail

tick:
	incl	%ebx
	pushq	%rax
	movb	$0x20, %al
	outb	%al, $0x20
	popq	%rax
	iretq

	/* Interrupt controllers from 32 on, all masked but the timer; its rate */
	.macro	port number, value
	.word	\number
	.byte	\value
	.endm
ports:
	port	0x20, 0x11
	port	0x21, 32
	port	0x21, 4
	port	0x21, 1
	port	0x21, 0xfe
	port	0xa1, 0xff
	port	0x43, 0x34
	port	0x40, 0xa9
	port	0x40, 0x04
	.word	0

	.balign	8
gdt:
	.quad	0
	.quad	0x00cf9b000000ffff	/* 8: 32-bit code */
	.quad	0x00cf93000000ffff	/* 16: data */
	.quad	0x00af9b000000ffff	/* 24: 64-bit code */
gdt_pointer:
	.word	. - gdt - 1
	.long	BASE + gdt
idt_pointer:
	.word	33 * 16 - 1
	.quad	IDT

	.org	0xfff0
	.code16
	ljmp	$BASE / 16, $real_mode
	.org	0x10000
