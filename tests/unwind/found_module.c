/* Libraries that were loaded since modules were last looked for are unwound all the same; and whether a thread was about to
 * return from a system call. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unwind/call.h"
#include "unwind/found_module.h"
#include "walker.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef void plugin_function(void (*then)(void), int depth);

static struct walked walked;

static void walk_here(void)
{
    struct unwind_registers registers;
    unwind_registers_here(&registers);
    walk(&registers, WALKER_WINDOW, WALKER_ROOM, &walked);
}

/* Loads it behind the back of the modules. */
static void *load(const char *path, plugin_function **call)
{
    void *library = dlopen(path, RTLD_NOW);
    assert_non_null(library);
    *(void **)call = dlsym(library, "plugin_call");
    assert_non_null(*call);
    return library;
}

static bool is_in(plugin_function *call, uint64_t pc)
{
    return pc - (uint64_t)(uintptr_t)call < 256;
}

static size_t frames_in(plugin_function *call)
{
    size_t frames = 0;
    for (size_t i = 0; i < walked.count; i++)
        frames += is_in(call, walked.frames[i].pc);
    return frames;
}

/* --- what is asked for ------------------------------------------------------------------------------------------------ */

static uint64_t asked[WALKER_ROOM];
static size_t asked_count;

static bool note_and_find(uint64_t address, struct unwind_module *out)
{
    asked[asked_count++ % WALKER_ROOM] = address;
    return found_module(address, out);
}

static size_t asked_in(plugin_function *call)
{
    size_t times = 0;
    for (size_t i = 0; i < asked_count; i++)
        times += is_in(call, asked[i]);
    return times;
}

static int set_up(void **state)
{
    (void)state;
    walker_start();
    walker.find = note_and_find;
    asked_count = 0;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    walker_stop();
    return 0;
}

static bool can_find(void)
{
    struct unwind_module module;
    return found_module((uint64_t)(uintptr_t)walk_here, &module);
}

#define SKIP_UNLESS_FOUND()                                                                                                    \
    if (!can_find())                                                                                                           \
    skip() /* the C library is too old */

/* --- tests ------------------------------------------------------------------------------------------------------------ */

static void a_module_is_found_by_an_address_in_it_with_its_tables(void **state)
{
    (void)state;
    SKIP_UNLESS_FOUND();
    plugin_function *call;
    void *library = load(PLUGIN, &call);
    uint64_t address = (uint64_t)(uintptr_t)call;
    struct unwind_module module;
    assert_true(found_module(address, &module));
    assert_true(module.start <= address && address < module.end);
    assert_true((uintptr_t)module.eh_frame.bytes == module.eh_frame.address);
    struct frame_description description;
    assert_true(eh_frame_find(&module.eh_frame, address, &description));
    assert_int_equal(description.start, address);

    /* The same as the list has. */
    assert_int_equal(unwind_modules_refresh(walker_modules(), NULL, NULL), 0);
    const struct unwind_module *listed = unwind_module_find(unwind_modules_enter(walker_modules()), address);
    assert_non_null(listed);
    assert_int_equal(module.start & ~(uint64_t)4095, listed->start & ~(uint64_t)4095);
    assert_int_equal(module.eh_frame.index_count, listed->eh_frame.index_count);
    unwind_modules_leave(walker_modules());
    dlclose(library);
    assert_false(found_module(address, &module));
}

static void where_there_is_no_module_or_one_without_tables_nothing_is_found(void **state)
{
    (void)state;
    struct unwind_module module;
    int on_stack;
    void *on_heap = malloc(1);
    assert_false(found_module(0, &module));
    assert_false(found_module(UINT64_MAX, &module));
    assert_false(found_module((uint64_t)(uintptr_t)&on_stack, &module));
    assert_false(found_module((uint64_t)(uintptr_t)on_heap, &module));
    free(on_heap);
    plugin_function *call;
    void *library = load(PLUGIN_WITHOUT_INDEX, &call);
    assert_false(found_module((uint64_t)(uintptr_t)call, &module));
    dlclose(library);
}

static void a_library_that_was_loaded_since_is_unwound(void **state)
{
    (void)state;
    SKIP_UNLESS_FOUND();
    plugin_function *call;
    void *library = load(PLUGIN, &call);
    walker.find = NULL;
    call(walk_here, 5);
    assert_true(frames_in(call) < 5); /* nobody knows it */
    walker.find = note_and_find;
    call(walk_here, 5);
    assert_int_equal(walked.end, UNWIND_COMPLETE);
    assert_int_equal(frames_in(call), 5);
    assert_true(asked_in(call) > 0);
    dlclose(library);
}

/* Nobody tells when it goes: another one may then be where it was. */
static void its_rules_are_not_remembered(void **state)
{
    (void)state;
    SKIP_UNLESS_FOUND();
    plugin_function *call;
    void *library = load(PLUGIN, &call);
    for (int i = 0; i < 3; i++) {
        asked_count = 0;
        call(walk_here, 5);
        assert_int_equal(frames_in(call), 5);
        assert_true(asked_in(call) > 0);
    }
    /* Once it is in the list nobody is asked any more. */
    assert_int_equal(unwind_modules_refresh(walker_modules(), NULL, NULL), 0);
    asked_count = 0;
    call(walk_here, 5);
    assert_int_equal(walked.end, UNWIND_COMPLETE);
    assert_int_equal(frames_in(call), 5);
    assert_int_equal(asked_in(call), 0);
    dlclose(library);
}

/* Code without rules that has a frame pointer and calls a function: void code(void). */
static void (*make_code(void (*function)(void)))(void)
{
#if defined(__x86_64__)
    uint8_t code[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xd0, 0x5d, 0xc3};
    enum { ADDRESS_AT = 6 };
#else
    uint32_t code[] = {0xa9bf7bfd, 0x910003fd, 0x58000089, 0xd63f0120, 0xa8c17bfd, 0xd65f03c0, 0, 0};
    enum { ADDRESS_AT = 24 };
#endif
    uintptr_t address = (uintptr_t)function;
    memcpy((uint8_t *)code + ADDRESS_AT, &address, sizeof address);
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(page != MAP_FAILED);
    memcpy(page, code, sizeof code);
    assert_int_equal(mprotect(page, 4096, PROT_READ | PROT_EXEC), 0);
    __builtin___clear_cache(page, (char *)page + sizeof code);
    void (*made)(void) = NULL;
    *(void **)&made = page;
    return made;
}

static void behind_an_address_that_was_guessed_nobody_is_asked(void **state)
{
    (void)state;
    SKIP_UNLESS_FOUND();
    plugin_function *call;
    void *library = load(PLUGIN, &call);
    void (*code)(void) = make_code(walk_here);
    call(code, 5);
    uint64_t page = (uint64_t)(uintptr_t)code;
    size_t through_code = 0, asked_for_code = 0;
    for (size_t i = 0; i < walked.count; i++)
        through_code += walked.frames[i].pc - page < 4096;
    for (size_t i = 0; i < asked_count; i++)
        asked_for_code += asked[i] - page < 4096;
    assert_int_equal(through_code, 1);
    assert_true(asked_for_code > 0); /* a rule led there */
    /* Its caller is in the plugin; the frame pointer says so, or something else that it is used for. */
    assert_int_equal(asked_in(call), 0);
    munmap((void *)(uintptr_t)page, 4096);
    dlclose(library);
}

/* --- system calls ----------------------------------------------------------------------------------------------------- */

static volatile sig_atomic_t after_call;

static void note_call(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)info;
    after_call = unwind_context_is_after_call(context);
}

static void a_signal_that_comes_at_the_end_of_a_system_call_is_known_as_such(void **state)
{
    (void)state;
    struct sigaction action = {.sa_sigaction = note_call, .sa_flags = SA_SIGINFO}, before;
    assert_int_equal(sigaction(SIGUSR1, &action, &before), 0);
    after_call = -1;
    raise(SIGUSR1);
    assert_int_equal(after_call, 1);
    sigaction(SIGUSR1, &before, NULL);
#if defined(__x86_64__)
    /* And one that comes in the middle of the program's own code. */
    assert_int_equal(sigaction(SIGTRAP, &action, &before), 0);
    after_call = -1;
    __asm__ volatile("nop; nop; int3" ::: "memory");
    assert_int_equal(after_call, 0);
    sigaction(SIGTRAP, &before, NULL);
#endif
}

static bool is_after_call_at(const void *pc)
{
    ucontext_t context = {0};
#if defined(__x86_64__)
    context.uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)pc;
#else
    context.uc_mcontext.pc = (uintptr_t)pc;
#endif
    return unwind_context_is_after_call(&context);
}

static void only_the_instruction_before_counts_and_only_if_it_is_on_the_page(void **state)
{
    (void)state;
#if defined(__x86_64__)
    static const uint8_t call[] = {0x0f, 0x05}, other[] = {0x0f, 0x04};
#else
    static const uint8_t call[] = {0x01, 0x00, 0x00, 0xd4}, other[] = {0x21, 0x00, 0x00, 0xd4};
#endif
    uint8_t *pages = mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED);
    uint8_t *page = pages + 4096;
    memcpy(page, call, sizeof call);
    assert_true(is_after_call_at(page + sizeof call));
    assert_false(is_after_call_at(page + 2 * sizeof call));
    memcpy(page, other, sizeof other);
    assert_false(is_after_call_at(page + sizeof call));
    /* The page before is not there. */
    assert_int_equal(munmap(pages, 4096), 0);
    assert_false(is_after_call_at(page));
    assert_false(is_after_call_at(page + 1));
    munmap(page, 4096);
}

#if defined(__x86_64__)
static bool is_in_fault_at(const uint8_t *code, greg_t flags)
{
    ucontext_t context = {0};
    context.uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)code;
    context.uc_mcontext.gregs[REG_EFL] = flags;
    return unwind_context_is_in_fault(&context);
}

static void an_instruction_that_is_to_be_tried_again_has_faulted_unless_it_repeats_itself(void **state)
{
    (void)state;
    enum { RESUME = 1 << 16, INTERRUPTS = 1 << 9 };
    static const uint8_t faulting[][4] = {
        {0x89, 0x07},             /* mov %eax,(%rdi) */
        {0xf3, 0x0f, 0x7f, 0x07}, /* movdqu %xmm0,(%rdi) */
        {0x66, 0x0f, 0x7f, 0x07}, /* movdqa %xmm0,(%rdi) */
        {0xaa},                   /* stos */
    };
    static const uint8_t repeating[][4] = {
        {0xf3, 0xaa},       /* rep stos */
        {0xf3, 0x48, 0xa5}, /* rep movsq */
        {0x66, 0xf3, 0xab}, /* rep stosw */
        {0xf2, 0xae},       /* repnz scas */
        {0xf3, 0x6c},       /* rep ins */
    };
    for (size_t i = 0; i < sizeof faulting / sizeof *faulting; i++) {
        assert_true(is_in_fault_at(faulting[i], RESUME | INTERRUPTS));
        assert_false(is_in_fault_at(faulting[i], INTERRUPTS));
    }
    for (size_t i = 0; i < sizeof repeating / sizeof *repeating; i++)
        assert_false(is_in_fault_at(repeating[i], RESUME | INTERRUPTS));
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_module_is_found_by_an_address_in_it_with_its_tables, set_up, tear_down),
        cmocka_unit_test_setup_teardown(where_there_is_no_module_or_one_without_tables_nothing_is_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_library_that_was_loaded_since_is_unwound, set_up, tear_down),
        cmocka_unit_test_setup_teardown(its_rules_are_not_remembered, set_up, tear_down),
        cmocka_unit_test_setup_teardown(behind_an_address_that_was_guessed_nobody_is_asked, set_up, tear_down),
        cmocka_unit_test(a_signal_that_comes_at_the_end_of_a_system_call_is_known_as_such),
        cmocka_unit_test(only_the_instruction_before_counts_and_only_if_it_is_on_the_page),
#if defined(__x86_64__)
        cmocka_unit_test(an_instruction_that_is_to_be_tried_again_has_faulted_unless_it_repeats_itself),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
