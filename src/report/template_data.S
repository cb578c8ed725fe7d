    .section .rodata
    .global report_template_start
    .global report_template_end
report_template_start:
    .incbin REPORT_TEMPLATE
report_template_end:
    .section .note.GNU-stack, "", %progbits
