/* What a filter of system calls, which the program is about to install, says of one call: classic BPF over struct seccomp_data,
 * as the kernel will run it. */
#include "preload/preload.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* Through the kernel: a pointer that leads nowhere is an error of the program's call, not a crash of ours. */
static bool copy(void *out, const void *from, size_t length)
{
    struct iovec local = {out, length}, remote = {(void *)(uintptr_t)from, length};
    return syscall(SYS_process_vm_readv, (long)getpid(), &local, 1L, &remote, 1L, 0L) == (long)length;
}

struct machine {
    struct seccomp_data data;
    uint32_t a, x, memory[BPF_MEMWORDS];
};

static uint32_t compute(uint32_t operation, uint32_t a, uint32_t operand)
{
    switch (operation) {
    case BPF_ADD:
        return a + operand;
    case BPF_SUB:
        return a - operand;
    case BPF_MUL:
        return a * operand;
    case BPF_DIV:
        return operand ? a / operand : 0;
    case BPF_AND:
        return a & operand;
    case BPF_OR:
        return a | operand;
    case BPF_XOR:
        return a ^ operand;
    case BPF_LSH:
        return operand < 32 ? a << operand : 0;
    case BPF_RSH:
        return operand < 32 ? a >> operand : 0;
    default: /* BPF_NEG */
        return -a;
    }
}

static bool is_taken(uint32_t operation, uint32_t a, uint32_t operand)
{
    switch (operation) {
    case BPF_JEQ:
        return a == operand;
    case BPF_JGT:
        return a > operand;
    case BPF_JGE:
        return a >= operand;
    default: /* BPF_JSET */
        return a & operand;
    }
}

static uint32_t load(const struct machine *machine, const struct sock_filter *step)
{
    uint32_t word = 0;
    switch (BPF_MODE(step->code)) {
    case BPF_ABS:
        if (step->k <= sizeof machine->data - sizeof word)
            memcpy(&word, (const char *)&machine->data + step->k, sizeof word);
        return word;
    case BPF_MEM:
        return machine->memory[step->k % BPF_MEMWORDS];
    case BPF_LEN:
        return sizeof machine->data;
    default: /* BPF_IMM */
        return step->k;
    }
}

/* Returns by how many steps to go on besides the next one. */
static uint32_t run_step(struct machine *machine, const struct sock_filter *step)
{
    uint32_t operand = BPF_SRC(step->code) == BPF_X ? machine->x : step->k;
    switch (BPF_CLASS(step->code)) {
    case BPF_LD:
        machine->a = load(machine, step);
        return 0;
    case BPF_LDX:
        machine->x = load(machine, step);
        return 0;
    case BPF_ST:
    case BPF_STX:
        machine->memory[step->k % BPF_MEMWORDS] = BPF_CLASS(step->code) == BPF_ST ? machine->a : machine->x;
        return 0;
    case BPF_ALU:
        machine->a = compute(BPF_OP(step->code), machine->a, operand);
        return 0;
    case BPF_MISC:
        *(BPF_MISCOP(step->code) == BPF_TAX ? &machine->x : &machine->a) =
            BPF_MISCOP(step->code) == BPF_TAX ? machine->a : machine->x;
        return 0;
    default: /* BPF_JMP */
        if (BPF_OP(step->code) == BPF_JA)
            return step->k;
        return is_taken(BPF_OP(step->code), machine->a, operand) ? step->jt : step->jf;
    }
}

bool filter_allows(const void *filter, int call)
{
    struct machine machine = {.data = {.nr = call, .arch = OWN_ARCHITECTURE}};
    struct sock_fprog program;
    struct sock_filter step;
    if (!copy(&program, filter, sizeof program))
        return true; /* then it is none */
    for (uint64_t at = 0; at < program.len && copy(&step, program.filter + at, sizeof step);) {
        if (BPF_CLASS(step.code) == BPF_RET) {
            uint32_t action = (BPF_RVAL(step.code) == BPF_A ? machine.a : step.k) & SECCOMP_RET_ACTION_FULL;
            return action == SECCOMP_RET_ALLOW || action == SECCOMP_RET_LOG;
        }
        at += 1 + (uint64_t)run_step(&machine, &step);
    }
    return true; /* the kernel refuses it */
}
