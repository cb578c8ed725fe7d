/* Numbers and times as the Firefox Profiler shows them, in English: 1,234.5, 12.3KB, 7.654ms, 46%.
 *
 * All of them add to a text. Rounding is half away from zero, of the shortest decimal that stands for the double: 9.95 with
 * one decimal is 10.0, although the double is a little less. */
#ifndef SONDE_MARKERS_FORMAT_H
#define SONDE_MARKERS_FORMAT_H

#include "common/text_buffer.h"
#include "profile/sample_table.h"

/* As many decimals as make up `significant` digits, but at most `max_decimals`, and commas between thousands. The decimals
 * are counted before rounding, so 999.9996 with 5 and 3 is 1,000.00. NaN is `<invalid>`. */
void format_number(struct text_buffer *out, double number, int significant, int max_decimals);

/* Fixed decimals. */
void format_fixed(struct text_buffer *out, double number, int decimals);

/* 0.4567 is 46%, 0.05 is 5.0%. */
void format_percentage(struct text_buffer *out, double share);

/* Whole bytes below 10,000; then KB, MB, GB in steps of 1000. */
void format_bytes(struct text_buffer *out, double bytes);

/* A time of so many ms in the unit that suits it, from 12.340ns to 1m2s and 11d14h. */
void format_duration(struct text_buffer *out, double ms);

/* A time that was given in this unit and stays in it. Seconds are given in ms, too. */
void format_seconds(struct text_buffer *out, double ms);
void format_milliseconds(struct text_buffer *out, double ms);
void format_microseconds(struct text_buffer *out, double us);
void format_nanoseconds(struct text_buffer *out, double ns);

/* 0x and the lower 32 bits. */
void format_hexadecimal(struct text_buffer *out, double number);

/* The self or total of a call node, without its unit: whole samples and bytes, ms with one decimal below 100. */
void format_weight(struct text_buffer *out, double weight, enum weight_type type);

#endif
