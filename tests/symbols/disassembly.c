/* Prints the instructions of all code sections of a file: disassembly FILE intel|att|arm. For tests/symbols/disassembled. */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>

#include "symbols/disassemble.h"

static void print_section(struct disassembler *disassembler, struct slice code, uint64_t address)
{
    for (size_t at = 0; at < code.length;) {
        struct instruction instruction;
        disassemble(disassembler, slice_from(code, at), address + at, &instruction);
        printf("%" PRIx64 ": %s\n", address + at, instruction.text);
        at += instruction.size;
    }
}

int main(int count, char **arguments)
{
    struct error error = {0};
    struct elf_file *file;
    if (count != 3 || elf_file_open(NULL, arguments[1], &file, &error) != 0)
        return fprintf(stderr, "%s\n", error.message), 1;
    enum code_arch arch = elf_file_machine(file) == EM_X86_64 ? CODE_X86_64 : CODE_AARCH64;
    struct disassembler *disassembler =
        disassembler_open(arch, slice_is(slice_of(arguments[2]), "att") ? ASM_ATT : ASM_INTEL, &error);
    for (size_t i = 0; i < elf_file_section_count(file) && disassembler; i++) {
        const struct elf_section *section = elf_file_section_at(file, i);
        if (section->flags & SHF_EXECINSTR)
            print_section(disassembler, elf_file_code(file, section->address), section->address);
    }
    disassembler_close(disassembler);
    elf_file_close(file);
    return disassembler ? 0 : 1;
}
