#include "profile/module_ids.h"

static const unsigned char guid_order[BREAKPAD_ID_BYTES] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};

static void put_hex(char *text, char byte, const char digits[16])
{
    text[0] = digits[(unsigned char)byte >> 4];
    text[1] = digits[(unsigned char)byte & 15];
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Two digits a byte, up to `most` bytes; 0 where anything is not a digit. */
static size_t read_hex(struct slice text, char *bytes, size_t most)
{
    size_t count = text.length / 2 < most ? text.length / 2 : most;
    for (size_t i = 0; i < count; i++) {
        int high = digit_of(text.text[2 * i]), low = digit_of(text.text[2 * i + 1]);
        if (high < 0 || low < 0)
            return 0;
        bytes[i] = (char)(high << 4 | low);
    }
    return count;
}

struct slice module_breakpad_id(struct slice build_id, char text[2 * BREAKPAD_ID_BYTES + 2])
{
    for (size_t i = 0; i < BREAKPAD_ID_BYTES; i++)
        put_hex(text + 2 * i, guid_order[i] < build_id.length ? build_id.text[guid_order[i]] : 0, "0123456789ABCDEF");
    text[2 * BREAKPAD_ID_BYTES] = '0';
    text[2 * BREAKPAD_ID_BYTES + 1] = '\0';
    return (struct slice){text, 2 * BREAKPAD_ID_BYTES + 1};
}

struct slice module_code_id(struct slice build_id, char text[2 * MODULE_ID_BYTES + 1])
{
    size_t count = build_id.length < MODULE_ID_BYTES ? build_id.length : MODULE_ID_BYTES;
    for (size_t i = 0; i < count; i++)
        put_hex(text + 2 * i, build_id.text[i], "0123456789abcdef");
    text[2 * count] = '\0';
    return (struct slice){text, 2 * count};
}

struct slice module_build_id(struct slice code_id, struct slice breakpad_id, char bytes[MODULE_ID_BYTES])
{
    size_t count = code_id.length % 2 == 0 ? read_hex(code_id, bytes, MODULE_ID_BYTES) : 0;
    if (count > 0)
        return (struct slice){bytes, count};
    char guid[BREAKPAD_ID_BYTES], any = 0;
    if (breakpad_id.length <= 2 * BREAKPAD_ID_BYTES || read_hex(breakpad_id, guid, BREAKPAD_ID_BYTES) != BREAKPAD_ID_BYTES)
        return SLICE("");
    for (size_t i = 0; i < BREAKPAD_ID_BYTES; i++) {
        bytes[guid_order[i]] = guid[i];
        any |= guid[i];
    }
    /* All zeros are written where nothing was known. */
    return any ? (struct slice){bytes, BREAKPAD_ID_BYTES} : SLICE("");
}

bool module_build_id_matches(struct slice wanted, struct slice found)
{
    char padded[BREAKPAD_ID_BYTES] = {0};
    if (wanted.length != BREAKPAD_ID_BYTES)
        return slice_equal(slice_until(wanted, wanted.length < MODULE_ID_BYTES ? wanted.length : MODULE_ID_BYTES),
                           slice_until(found, found.length < MODULE_ID_BYTES ? found.length : MODULE_ID_BYTES));
    memcpy(padded, found.text, found.length < BREAKPAD_ID_BYTES ? found.length : BREAKPAD_ID_BYTES);
    return memcmp(padded, wanted.text, BREAKPAD_ID_BYTES) == 0;
}

struct slice module_text_id(struct slice text_section, char bytes[BREAKPAD_ID_BYTES])
{
    enum { PAGE = 4096 };
    memset(bytes, 0, BREAKPAD_ID_BYTES);
    for (size_t i = 0; i < text_section.length && i < PAGE; i++)
        bytes[i % BREAKPAD_ID_BYTES] = (char)(bytes[i % BREAKPAD_ID_BYTES] ^ text_section.text[i]);
    return (struct slice){bytes, BREAKPAD_ID_BYTES};
}
