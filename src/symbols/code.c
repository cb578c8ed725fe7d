#include "symbols/code.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

const char *code_arch_name(enum code_arch arch)
{
    return arch == CODE_X86_64 ? "x86_64" : "aarch64";
}

static int not_found(const struct symbol_request *request, const struct symbol_outcome *outcome, struct error *error)
{
    enum { MOST_NAME = 120 };
    struct slice name = request->path.length > 0 ? request->path : request->name;
    if (name.length > MOST_NAME)
        name = slice_from(name, name.length - MOST_NAME);
    const char *between = outcome->detail[0] ? ": " : "";
    switch (outcome->status) {
    case SYMBOLS_OTHER_BUILD:
        return error_set(error, -ESTALE, "%.*s was rebuilt since the recording%s%s", (int)name.length, name.text, between,
                         outcome->detail);
    case SYMBOLS_DAMAGED:
        return error_set(error, -EBADMSG, "%.*s cannot be read%s%s", (int)name.length, name.text, between, outcome->detail);
    default:
        return error_set(error, -ENOENT, "%.*s is not on this machine%s%s", (int)name.length, name.text, between,
                         outcome->detail);
    }
}

int module_code_open(const struct symbol_search *search, const struct symbol_request *request, struct module_code *code,
                     struct error *error)
{
    struct symbol_outcome outcome = {.status = SYMBOLS_NO_FILE};
    *code = (struct module_code){0};
    int result = module_files_find(search, request, &code->files, &outcome, error);
    if (result < 0)
        return result;
    if (!code->files.file)
        return not_found(request, &outcome, error);
    switch (elf_file_machine(code->files.file)) {
    case EM_X86_64:
        code->arch = CODE_X86_64;
        return 0;
    case EM_AARCH64:
        code->arch = CODE_AARCH64;
        return 0;
    default:
        return error_set(error, -ENOTSUP, "%s: only code for x86-64 and aarch64 can be shown", elf_file_path(code->files.file));
    }
}

void module_code_close(struct module_code *code)
{
    module_files_close(&code->files);
}

struct slice module_code_at(const struct module_code *code, uint64_t address)
{
    if (__builtin_add_overflow(address, elf_file_image_base(code->files.file), &address))
        return (struct slice){0};
    return elf_file_code(code->files.file, address);
}
