/* Assembler with lines of its own: functions with and without a type, two sections, an include. */
	.file 1 "labels.S"
	.file 2 "other.inc"
	.text
	.globl	typed
	.type	typed, @function
typed:
	.loc 1 10
	push %rbp
	.loc 1 11
	mov %rsp, %rbp
	.loc 2 100
	nop
	.loc 1 13
	pop %rbp
	ret
	.size typed, .-typed

	.globl untyped
untyped:
	.loc 2 200
	xor %eax, %eax
	ret

	.globl sizeless
	.type sizeless, @function
sizeless:
	.loc 1 300
	nop
	.loc 1 301
	ret

	.section .text.far, "ax", @progbits
	.globl far
	.type far, @function
far:
	.loc 1 400
	call typed
	ret
	.size far, .-far

	.text
	.globl _start
_start:
	.loc 1 500
	call far
	hlt
	.section .note.GNU-stack, "", @progbits
