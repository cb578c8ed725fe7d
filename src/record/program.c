#include "record/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* ---- finding ---- */

static int check_executable(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return -errno;
    return S_ISREG(status.st_mode) && access(path, X_OK) == 0 ? 0 : -EACCES;
}

int program_find(const char *name, const char *search, char path[PATH_MAX])
{
    if (*name == '\0')
        return -ENOENT;
    if (strchr(name, '/')) {
        if (snprintf(path, PATH_MAX, "%s", name) >= PATH_MAX)
            return -ENAMETOOLONG;
        return check_executable(path);
    }
    int found = -ENOENT;
    for (const char *folder = search ? search : "/bin:/usr/bin", *end;; folder = end + 1) {
        end = strchrnul(folder, ':');
        /* An empty name in the list is the current folder. */
        const char *here = end == folder ? "." : "";
        int length = snprintf(path, PATH_MAX, "%.*s%s/%s", (int)(end - folder), folder, here, name);
        int checked = length < PATH_MAX ? check_executable(path) : -ENOENT;
        if (checked == 0)
            return 0;
        if (checked == -EACCES)
            found = -EACCES;
        if (*end == '\0')
            return found;
    }
}

/* ---- what the file says ---- */

/* ELF files of other CPUs and widths are recognised, but not read further. */
#if defined(__x86_64__)
enum { OWN_MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { OWN_MACHINE = EM_AARCH64 };
#else
enum { OWN_MACHINE = EM_NONE };
#endif

enum { MOST_SEGMENTS = 128, MOST_INTERPRETERS = 5 };

struct elf_file {
    int fd;
    Elf64_Phdr segments[MOST_SEGMENTS];
    size_t count;
};

static bool read_at(int fd, void *out, size_t size, uint64_t offset)
{
    return offset <= INT64_MAX && pread(fd, out, size, (off_t)offset) == (ssize_t)size;
}

static const Elf64_Phdr *find_segment(const struct elf_file *elf, uint32_t type)
{
    for (size_t i = 0; i < elf->count; i++)
        if (elf->segments[i].p_type == type)
            return &elf->segments[i];
    return NULL;
}

/* The dynamic linker of musl is called so everywhere. */
static bool has_other_libc(const struct elf_file *elf)
{
    char name[64] = "";
    const Elf64_Phdr *interpreter = find_segment(elf, PT_INTERP);
    size_t length = interpreter->p_filesz < sizeof name - 1 ? interpreter->p_filesz : sizeof name - 1;
    return read_at(elf->fd, name, length, interpreter->p_offset) && strstr(name, "/ld-musl-");
}

static enum program_kind inspect_elf(struct elf_file *elf)
{
    Elf64_Ehdr header;
    /* As much as there is: for 32 bits it is shorter. */
    ssize_t length = pread(elf->fd, &header, sizeof header, 0);
    if (length < (ssize_t)sizeof(Elf32_Ehdr) || (header.e_ident[EI_CLASS] == ELFCLASS64 && length < (ssize_t)sizeof header))
        return PROGRAM_DAMAGED;
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != OWN_MACHINE)
        return PROGRAM_FOREIGN;
    elf->count = header.e_phnum < MOST_SEGMENTS ? header.e_phnum : MOST_SEGMENTS;
    if (header.e_phentsize != sizeof *elf->segments ||
        !read_at(elf->fd, elf->segments, elf->count * sizeof *elf->segments, header.e_phoff))
        return PROGRAM_DAMAGED;
    if (!find_segment(elf, PT_INTERP))
        return PROGRAM_STATIC;
    if (has_other_libc(elf))
        return PROGRAM_OTHER_LIBC;
    return PROGRAM_RECORDABLE;
}

/* True where the kernel gives the program more rights than its caller has. */
static bool is_privileged(int fd)
{
    struct stat status;
    if (fstat(fd, &status) != 0 || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
        return false;
    if (status.st_mode & S_ISUID && status.st_uid != getuid())
        return true;
    if ((status.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && status.st_gid != getgid())
        return true;
    return getuid() != 0 && fgetxattr(fd, "security.capability", NULL, 0) > 0;
}

/* The interpreter that `#!` names, taken out of the first bytes of the file. */
static bool find_interpreter(char *start, char path[PATH_MAX])
{
    if (start[0] != '#' || start[1] != '!')
        return false;
    char *name = start + 2 + strspn(start + 2, " \t");
    name[strcspn(name, " \t\n")] = '\0';
    return *name != '\0' && snprintf(path, PATH_MAX, "%s", name) < PATH_MAX;
}

/* True where `path` now is the interpreter that is to be looked at next. */
static bool inspect_file(char path[PATH_MAX], struct program *program)
{
    char start[256] = "";
    struct elf_file elf = {.fd = open(path, O_RDONLY | O_CLOEXEC)};
    bool again = false;
    snprintf(program->file, sizeof program->file, "%s", path);
    program->kind = PROGRAM_UNKNOWN;
    if (elf.fd < 0)
        return false;
    ssize_t length = pread(elf.fd, start, sizeof start - 1, 0);
    if (length >= SELFMAG && memcmp(start, ELFMAG, SELFMAG) == 0) {
        /* Scripts have no rights of their own: only here do they matter. */
        program->kind = is_privileged(elf.fd) ? PROGRAM_PRIVILEGED : inspect_elf(&elf);
    } else if (length >= 0) {
        /* What is neither is given to the shell, by execvp. */
        again = find_interpreter(start, path) || snprintf(path, PATH_MAX, "/bin/sh") > 0;
    }
    close(elf.fd);
    return again;
}

void program_inspect(const char *path, struct program *program)
{
    char file[PATH_MAX];
    *program = (struct program){.kind = PROGRAM_UNKNOWN};
    if (snprintf(file, sizeof file, "%s", path) >= PATH_MAX)
        return;
    for (int i = 0; i < MOST_INTERPRETERS && inspect_file(file, program); i++)
        ;
}

const char *program_kind_reason(enum program_kind kind)
{
    switch (kind) {
    case PROGRAM_STATIC:
        return "statically linked";
    case PROGRAM_PRIVILEGED:
        return "runs with more rights (setuid, setgid or capabilities)";
    case PROGRAM_FOREIGN:
        return "for another CPU or for 32 bits";
    case PROGRAM_OTHER_LIBC:
        return "linked against another C library (musl)";
    case PROGRAM_DAMAGED:
        return "damaged";
    case PROGRAM_RECORDABLE:
    case PROGRAM_UNKNOWN:
        break;
    }
    return NULL;
}
