// tracer/agent/gate.S — the only instructions through which the agent enters the kernel, and the thread switch.
//
// NOTE [The gate]: Syscall User Dispatch turns every `syscall` instruction outside [xb_gate_begin, xb_gate_end) into
// SIGSYS. The kernel compares the address *behind* the instruction, so no `syscall` may be the last one of the range.
// The restorer of our signal handlers is inside too. It has no CFI on purpose: libgcc, gdb and our own unwinder
// recognise a signal frame by these very bytes (`mov $15,%rax; syscall`), and look at the byte before, hence the nop.

    .text
    .balign 64
    .globl xb_gate_begin
    .hidden xb_gate_begin
xb_gate_begin:
    nop

// long xb_syscall(long number, long a1, long a2, long a3, long a4, long a5, long a6)
    .globl xb_syscall
    .hidden xb_syscall
    .type xb_syscall, @function
xb_syscall:
    .cfi_startproc
    movq %rdi, %rax
    movq %rsi, %rdi
    movq %rdx, %rsi
    movq %rcx, %rdx
    movq %r8, %r10
    movq %r9, %r8
    movq 8(%rsp), %r9
    syscall
    ret
    .cfi_endproc
    .size xb_syscall, .-xb_syscall

// long xb_clone(long number, const long args[6], const greg_t* registers)
// A clone, clone3 or vfork that starts on a stack of its own. The parent returns here; the child continues in the
// program, behind the program's own syscall instruction, with `registers` but rax = 0 and the new stack pointer.
    .globl xb_clone
    .hidden xb_clone
    .type xb_clone, @function
xb_clone:
    .cfi_startproc
    pushq %r12
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %r12, 0
    movq %rdx, %r12
    movq %rdi, %rax
    movq %rsi, %r11
    movq 0(%r11), %rdi
    movq 8(%r11), %rsi
    movq 16(%r11), %rdx
    movq 24(%r11), %r10
    movq 32(%r11), %r8
    movq 40(%r11), %r9
    syscall
    testq %rax, %rax
    jz xb_resume_program
    popq %r12
    .cfi_adjust_cfa_offset -8
    .cfi_restore %r12
    ret
    .cfi_endproc
    .size xb_clone, .-xb_clone

// The first switch to a new thread arrives here, on its own stack: %rbx = greg_t[], the registers of the clone call.
    .globl xb_start_thread
    .hidden xb_start_thread
    .type xb_start_thread, @function
xb_start_thread:
    call xb_thread_begins
    movq %rbx, %r12
    movq 15*8(%r12), %rsp
xb_resume_program:                  // greg_t order: r8..r15 rdi rsi rbp rbx rdx rax rcx rsp rip
    movq 0*8(%r12), %r8
    movq 1*8(%r12), %r9
    movq 2*8(%r12), %r10
    movq 5*8(%r12), %r13
    movq 6*8(%r12), %r14
    movq 7*8(%r12), %r15
    movq 8*8(%r12), %rdi
    movq 9*8(%r12), %rsi
    movq 10*8(%r12), %rbp
    movq 11*8(%r12), %rbx
    movq 12*8(%r12), %rdx
    movq 16*8(%r12), %rcx
    movq 4*8(%r12), %r12
    xorl %eax, %eax
    jmp *%rcx
    .size xb_start_thread, .-xb_start_thread

// void xb_switch(Context* from, const Context* to)      Context: { void* sp; uint64_t fs_base; }
// Saves what a function call preserves, and goes on where `to` was saved. TLS follows the FS base.
    .globl xb_switch
    .hidden xb_switch
    .type xb_switch, @function
xb_switch:
    .cfi_startproc
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    subq $8, %rsp
    stmxcsr (%rsp)
    fnstcw 4(%rsp)
    movq %rsp, (%rdi)
    cmpb $0, xb_has_fsgsbase(%rip)
    je 1f
    movq 8(%rsi), %rax
    wrfsbase %rax
    jmp 2f
1:  movq %rsi, %rbx                 // arch_prctl(ARCH_SET_FS, fs_base), for kernels or CPUs without FSGSBASE
    movl $158, %eax
    movl $0x1002, %edi
    movq 8(%rbx), %rsi
    syscall
    movq %rbx, %rsi
2:  movq (%rsi), %rsp
    ldmxcsr (%rsp)
    fldcw 4(%rsp)
    addq $8, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .cfi_endproc
    .size xb_switch, .-xb_switch

    nop
    .globl xb_restorer
    .hidden xb_restorer
    .type xb_restorer, @function
xb_restorer:
    movq $15, %rax
    syscall
    .globl xb_gate_end
    .hidden xb_gate_end
    ud2
xb_gate_end:

    .section .note.GNU-stack,"",@progbits
