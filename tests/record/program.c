/* What can be recorded, and what cannot. STATIC_PROGRAM is a program that is linked statically. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "record/program.h"

static char folder[] = "/tmp/sonde-test-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) && chmod(folder, 0755) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

/* A new file in the folder, and its path. */
static const char *make_file(const char *name, const void *bytes, size_t length, mode_t mode)
{
    static char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, length), length);
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
    return path;
}

static const char *make_script(const char *name, const char *text)
{
    return make_file(name, text, strlen(text), 0755);
}

static struct program inspect(const char *path)
{
    struct program program;
    program_inspect(path, &program);
    return program;
}

static void a_program_is_found_in_the_folders_of_the_path_in_their_order(void **state)
{
    (void)state;
    char path[PATH_MAX], search[PATH_MAX];
    make_script("ls", "#!/bin/sh\n");
    snprintf(search, sizeof search, "/nowhere:%s:/bin", folder);
    assert_int_equal(program_find("ls", search, path), 0);
    assert_memory_equal(path, folder, strlen(folder));
    assert_int_equal(program_find("sh", search, path), 0);
    assert_string_equal(path, "/bin/sh");
    assert_int_equal(program_find("sh", NULL, path), 0);
}

static void a_name_with_a_slash_is_a_path(void **state)
{
    (void)state;
    char path[PATH_MAX];
    assert_int_equal(program_find("/bin/sh", "/nowhere", path), 0);
    assert_string_equal(path, "/bin/sh");
    assert_int_equal(program_find("/bin/no-such-program", "/bin", path), -ENOENT);
    assert_int_equal(program_find("/bin/sh/x", "/bin", path), -ENOTDIR);
    assert_int_equal(program_find("", "/bin", path), -ENOENT);
}

static void what_is_there_but_not_executable_is_told_from_what_is_not_there(void **state)
{
    (void)state;
    char path[PATH_MAX], search[PATH_MAX];
    make_file("plain", "x", 1, 0644);
    snprintf(search, sizeof search, "%s:/bin", folder);
    assert_int_equal(program_find("plain", search, path), -EACCES);
    assert_int_equal(program_find("no-such-program", search, path), -ENOENT);
    assert_int_equal(program_find("/tmp", search, path), -EACCES);
}

static void a_dynamically_linked_program_can_be_recorded(void **state)
{
    (void)state;
    assert_int_equal(inspect("/proc/self/exe").kind, PROGRAM_RECORDABLE);
}

static void a_statically_linked_one_cannot(void **state)
{
    (void)state;
    struct program program = inspect(STATIC_PROGRAM);
    assert_int_equal(program.kind, PROGRAM_STATIC);
    assert_string_equal(program.file, STATIC_PROGRAM);
}

static void of_a_script_the_interpreter_counts(void **state)
{
    (void)state;
    assert_int_equal(inspect(make_script("shell", "#! /bin/sh -e\n")).kind, PROGRAM_RECORDABLE);
    struct program program = inspect(make_script("static", "#!" STATIC_PROGRAM "\n"));
    assert_int_equal(program.kind, PROGRAM_STATIC);
    assert_string_equal(program.file, STATIC_PROGRAM);
}

static void a_script_without_interpreter_is_for_the_shell(void **state)
{
    (void)state;
    struct program program = inspect(make_script("bare", "echo hello\n"));
    assert_int_equal(program.kind, PROGRAM_RECORDABLE);
    assert_string_equal(program.file, "/bin/sh");
}

static void scripts_that_interpret_each_other_end(void **state)
{
    (void)state;
    char text[PATH_MAX];
    snprintf(text, sizeof text, "#!%s/circle\n", folder);
    assert_int_equal(inspect(make_script("circle", text)).kind, PROGRAM_UNKNOWN);
}

static void a_program_for_another_cpu_cannot_be_recorded(void **state)
{
    (void)state;
    Elf64_Ehdr header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64}, .e_machine = EM_PPC64};
    assert_int_equal(inspect(make_file("foreign", &header, sizeof header, 0755)).kind, PROGRAM_FOREIGN);
    header = (Elf64_Ehdr){.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS32}, .e_machine = EM_386};
    assert_int_equal(inspect(make_file("narrow", &header, sizeof(Elf32_Ehdr), 0755)).kind, PROGRAM_FOREIGN);
}

static void a_damaged_program_is_told_from_one_for_another_cpu(void **state)
{
    (void)state;
    Elf64_Ehdr header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64}, .e_phoff = UINT64_MAX, .e_phnum = 9};
    header.e_phentsize = sizeof(Elf64_Phdr);
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    Elf64_Ehdr own;
    assert_int_equal(read(fd, &own, sizeof own), sizeof own);
    close(fd);
    header.e_machine = own.e_machine;
    assert_int_equal(inspect(make_file("damaged", &header, sizeof header, 0755)).kind, PROGRAM_DAMAGED);
    assert_int_equal(inspect(make_file("cut", &own, sizeof own - 1, 0755)).kind, PROGRAM_DAMAGED);
    assert_int_equal(inspect(make_file("shorter", &own, SELFMAG, 0755)).kind, PROGRAM_DAMAGED);
}

static void what_cannot_be_read_is_not_judged(void **state)
{
    (void)state;
    assert_int_equal(inspect("/no/such/file").kind, PROGRAM_UNKNOWN);
}

/* Giving a file to somebody else takes root. */
static void a_setuid_program_of_somebody_else_cannot_be_recorded(void **state)
{
    (void)state;
    if (getuid() != 0)
        skip();
    Elf64_Ehdr header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64}};
    const char *path = make_file("setuid", &header, sizeof header, 0755);
    assert_int_equal(chown(path, 65534, 65534), 0);
    assert_int_equal(chmod(path, 04755), 0);
    assert_int_equal(inspect(path).kind, PROGRAM_PRIVILEGED);
    assert_int_equal(chmod(path, 02755), 0);
    assert_int_equal(inspect(path).kind, PROGRAM_PRIVILEGED);
    assert_int_equal(chown(path, 0, 0), 0);
    assert_int_equal(chmod(path, 06755), 0);
    assert_int_not_equal(inspect(path).kind, PROGRAM_PRIVILEGED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_is_found_in_the_folders_of_the_path_in_their_order),
        cmocka_unit_test(a_name_with_a_slash_is_a_path),
        cmocka_unit_test(what_is_there_but_not_executable_is_told_from_what_is_not_there),
        cmocka_unit_test(a_dynamically_linked_program_can_be_recorded),
        cmocka_unit_test(a_statically_linked_one_cannot),
        cmocka_unit_test(of_a_script_the_interpreter_counts),
        cmocka_unit_test(a_script_without_interpreter_is_for_the_shell),
        cmocka_unit_test(scripts_that_interpret_each_other_end),
        cmocka_unit_test(a_program_for_another_cpu_cannot_be_recorded),
        cmocka_unit_test(a_damaged_program_is_told_from_one_for_another_cpu),
        cmocka_unit_test(what_cannot_be_read_is_not_judged),
        cmocka_unit_test(a_setuid_program_of_somebody_else_cannot_be_recorded),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
