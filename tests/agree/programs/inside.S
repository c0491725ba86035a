/* Assembler without lines of its own: a label inside a function, and functions without a type. */
	.text
	.globl	_start
	.type	_start, @function
_start:
	mov $8, %ecx
again:
	dec %ecx
	jnz again
	call paranoid
	hlt
	.size _start, .-_start

	.p2align 4
paranoid:
	xor %eax, %eax
	jmp 1f
	nop
1:	ret
	.size paranoid, .-paranoid
	.section .note.GNU-stack, "", @progbits
