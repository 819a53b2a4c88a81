#define _DEFAULT_SOURCE
#include "polympi_harness.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

int64_t polympi_payload_count(const struct polympi_case *c) {
    switch (c->payload) {
    case POLYMPI_NONE:
        return 0;
    case POLYMPI_BYTES:
        return c->bytes;
    case POLYMPI_FLOAT64:
    case POLYMPI_ARRAY:
        return c->bytes / (int64_t)sizeof(double);
    case POLYMPI_INT32:
        return c->bytes / (int64_t)sizeof(int32_t);
    case POLYMPI_STRING:
        return POLYMPI_STRING_LENGTH;
    case POLYMPI_LIST:
        return POLYMPI_LIST_LENGTH;
    case POLYMPI_MAP:
        return POLYMPI_MAP_LENGTH;
    default:
        return 1;
    }
}

void polympi_payload_poison(void *message, int64_t bytes) { memset(message, 0xEE, (size_t)bytes); }

/* Byte i is 131 i + 17 (i / 256) + shift, modulo 256. Since 131 * 43 = 1 modulo 256, a row of 256 bytes is
   a stretch of the sequence 131 k that begins at k = 43 (17 row + shift), and rows are copied and compared
   whole. */
enum { ROW = 256, STEP = 131, INVERSE_OF_STEP = 43 };

static unsigned byte_shift(const struct polympi_case *c, int origin, int slot) {
    return 37U * (unsigned)c->id + 11U * (unsigned)origin + 5U * (unsigned)slot;
}

static const unsigned char *byte_row(size_t row, unsigned shift) {
    static unsigned char sequence[2 * ROW];
    if (!sequence[1])
        for (unsigned k = 0; k < 2 * ROW; k++)
            sequence[k] = (unsigned char)(STEP * k);
    return sequence + INVERSE_OF_STEP * (17 * row + shift) % ROW;
}

static size_t row_length(size_t row, size_t bytes) {
    return bytes - row * ROW < ROW ? bytes - row * ROW : ROW;
}

static void fill_bytes(unsigned char *message, size_t bytes, unsigned shift) {
    for (size_t row = 0; row * ROW < bytes; row++)
        memcpy(message + row * ROW, byte_row(row, shift), row_length(row, bytes));
}

static void check_bytes(const unsigned char *message, size_t bytes, unsigned shift, char *complaint) {
    for (size_t row = 0; row * ROW < bytes; row++) {
        const unsigned char *expected = byte_row(row, shift), *found = message + row * ROW;
        const size_t length = row_length(row, bytes);
        if (memcmp(found, expected, length) == 0)
            continue;
        size_t i = 0;
        while (found[i] == expected[i])
            i++;
        snprintf(complaint, POLYMPI_COMPLAINT_BYTES, "byte %zu is %d instead of %d", row * ROW + i, found[i],
                 expected[i]);
        return;
    }
}

static void check_doubles(const double *message, size_t count, double first, double step, char *complaint) {
    for (size_t i = 0; i < count; i++)
        if (message[i] != first + step * (double)i) {
            snprintf(complaint, POLYMPI_COMPLAINT_BYTES, "element %zu is %.17g instead of %.17g", i,
                     message[i], first + step * (double)i);
            return;
        }
}

static void check_integer(int64_t found, int64_t expected, char *complaint) {
    if (found != expected)
        snprintf(complaint, POLYMPI_COMPLAINT_BYTES, "the integer is %lld instead of %lld", (long long)found,
                 (long long)expected);
}

static double first_double(const struct polympi_case *c, int origin, int slot) {
    return (double)c->id + 11.0 * origin + 5.0 * slot;
}

/* Objects differ with case, origin and slot. An integer has more than 32 bits, so that it needs its 8 bytes
   in languages that choose how many. */
static int64_t integer_value(const struct polympi_case *c, int origin, int slot) {
    return ((int64_t)1 << 40) + (int64_t)37 * c->id + (int64_t)11 * origin + (int64_t)5 * slot;
}

static double real_value(const struct polympi_case *c, int origin, int slot) {
    return first_double(c, origin, slot) + 0.5;
}

/* Writes the last four digits of a number. */
static void write_digits(char *text, int number) {
    for (int digit = 3; digit >= 0; digit--, number /= 10)
        text[digit] = (char)('0' + number % 10);
}

static struct polympi_record record_value(const struct polympi_case *c, int origin, int slot) {
    struct polympi_record record = {.integer = origin, .real = real_value(c, origin, slot)};
    write_digits(record.text, origin);
    write_digits(record.text + 4, slot);
    return record;
}

/* Element i of a buffer of 32-bit integers. */
static int32_t int32_value(const struct polympi_case *c, int origin, int slot, int64_t i) {
    return (int32_t)(first_double(c, origin, slot) + 3.0 * (double)i);
}

static void check_int32(const int32_t *message, const struct polympi_case *c, int origin, int slot,
                        char *complaint) {
    const int64_t count = polympi_payload_count(c);
    for (int64_t i = 0; i < count; i++)
        if (message[i] != int32_value(c, origin, slot, i)) {
            snprintf(complaint, POLYMPI_COMPLAINT_BYTES, "element %lld is %d instead of %d", (long long)i,
                     (int)message[i], (int)int32_value(c, origin, slot, i));
            return;
        }
}

static void fill_string(char *message, const struct polympi_case *c, int origin, int slot) {
    for (int i = 0; i < POLYMPI_STRING_LENGTH; i++)
        message[i] = (char)('a' + (i + (int64_t)first_double(c, origin, slot)) % 26);
}

static void fill_list(int64_t *message, const struct polympi_case *c, int origin, int slot) {
    for (int i = 0; i < POLYMPI_LIST_LENGTH; i++)
        message[i] = integer_value(c, origin, slot) + i;
}

static void fill_map(struct polympi_entry *message, const struct polympi_case *c, int origin, int slot) {
    for (int i = 0; i < POLYMPI_MAP_LENGTH; i++) {
        memcpy(message[i].key, "key0", 4);
        write_digits(message[i].key + 4, i);
        message[i].value = real_value(c, origin, slot) + i;
    }
}

static void fill_nested(struct polympi_nested *message, const struct polympi_case *c, int origin, int slot) {
    const double first = first_double(c, origin, slot);
    write_digits(message->name, origin);
    write_digits(message->name + 4, slot);
    message->integer = ((int64_t)1 << 40) + (int64_t)first;
    for (int i = 0; i < POLYMPI_NESTED_ROWS; i++)
        for (int k = 0; k < POLYMPI_NESTED_ROWS; k++)
            message->rows[i][k] = first + 0.5 * (POLYMPI_NESTED_ROWS * i + k);
}

/* Fills the flat form of an object that has one. */
static void fill_flat(void *message, const struct polympi_case *c, int origin, int slot) {
    switch (c->payload) {
    case POLYMPI_STRING:
        fill_string(message, c, origin, slot);
        break;
    case POLYMPI_LIST:
        fill_list(message, c, origin, slot);
        break;
    case POLYMPI_MAP:
        fill_map(message, c, origin, slot);
        break;
    case POLYMPI_NESTED:
        fill_nested(message, c, origin, slot);
        break;
    default:
        *(struct polympi_record *)message = record_value(c, origin, slot);
    }
}

static void check_flat(const void *message, const struct polympi_case *c, int origin, int slot,
                       char *complaint) {
    union {
        char string[POLYMPI_STRING_LENGTH];
        int64_t list[POLYMPI_LIST_LENGTH];
        struct polympi_entry map[POLYMPI_MAP_LENGTH];
        struct polympi_nested nested;
        struct polympi_record record;
    } expected;
    fill_flat(&expected, c, origin, slot);
    if (memcmp(message, &expected, (size_t)c->bytes) != 0)
        snprintf(complaint, POLYMPI_COMPLAINT_BYTES, "the object's parts differ from those sent");
}

void polympi_payload_fill(void *message, const struct polympi_case *c, int32_t origin, int32_t slot) {
    const size_t count = (size_t)polympi_payload_count(c);
    const double first = first_double(c, origin, slot);
    double *doubles = message;
    switch (c->payload) {
    case POLYMPI_BYTES:
        fill_bytes(message, count, byte_shift(c, origin, slot));
        break;
    case POLYMPI_FLOAT64:
    case POLYMPI_ARRAY:
        for (size_t i = 0; i < count; i++)
            doubles[i] = first + 0.5 * (double)i;
        break;
    case POLYMPI_INT:
        *(int64_t *)message = integer_value(c, origin, slot);
        break;
    case POLYMPI_FLOAT:
        *doubles = real_value(c, origin, slot);
        break;
    case POLYMPI_INT32:
        for (size_t i = 0; i < count; i++)
            ((int32_t *)message)[i] = int32_value(c, origin, slot, (int64_t)i);
        break;
    case POLYMPI_NONE:
        break;
    default:
        fill_flat(message, c, origin, slot);
    }
}

void polympi_payload_check(const void *message, const struct polympi_case *c, int32_t origin, int32_t slot,
                           char *complaint) {
    switch (c->payload) {
    case POLYMPI_BYTES:
        check_bytes(message, (size_t)c->bytes, byte_shift(c, origin, slot), complaint);
        break;
    case POLYMPI_FLOAT64:
    case POLYMPI_ARRAY:
        check_doubles(message, (size_t)polympi_payload_count(c), first_double(c, origin, slot), 0.5,
                      complaint);
        break;
    case POLYMPI_INT:
        check_integer(*(const int64_t *)message, integer_value(c, origin, slot), complaint);
        break;
    case POLYMPI_FLOAT:
        check_doubles(message, 1, real_value(c, origin, slot), 0, complaint);
        break;
    case POLYMPI_INT32:
        check_int32(message, c, origin, slot, complaint);
        break;
    case POLYMPI_NONE:
        break;
    default:
        check_flat(message, c, origin, slot, complaint);
    }
}

void polympi_payload_check_sum(const void *message, const struct polympi_case *c, int32_t ranks, int32_t slot,
                               char *complaint) {
    double first = 0;
    int64_t integer = 0;
    for (int origin = 0; origin < ranks; origin++) {
        first += c->payload == POLYMPI_FLOAT ? real_value(c, origin, slot) : first_double(c, origin, slot);
        integer += integer_value(c, origin, slot);
    }
    if (c->payload == POLYMPI_INT)
        check_integer(*(const int64_t *)message, integer, complaint);
    else
        check_doubles(message, (size_t)polympi_payload_count(c), first, 0.5 * ranks, complaint);
}
