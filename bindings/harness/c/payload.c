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
    case POLYMPI_DICT:
        *(struct polympi_record *)message = record_value(c, origin, slot);
        break;
    default:
        break;
    }
}

void polympi_payload_check(const void *message, const struct polympi_case *c, int32_t origin, int32_t slot,
                           char *complaint) {
    const struct polympi_record record = record_value(c, origin, slot);
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
        check_doubles(message, 1, record.real, 0, complaint);
        break;
    case POLYMPI_DICT:
        if (memcmp(message, &record, sizeof record) != 0)
            snprintf(complaint, POLYMPI_COMPLAINT_BYTES, "the object's fields differ from those sent");
        break;
    default:
        break;
    }
}

void polympi_payload_check_sum(const void *message, const struct polympi_case *c, int32_t ranks,
                               char *complaint) {
    double first = 0;
    int64_t integer = 0;
    for (int origin = 0; origin < ranks; origin++) {
        first += c->payload == POLYMPI_FLOAT ? real_value(c, origin, 0) : first_double(c, origin, 0);
        integer += integer_value(c, origin, 0);
    }
    if (c->payload == POLYMPI_INT)
        check_integer(*(const int64_t *)message, integer, complaint);
    else
        check_doubles(message, (size_t)polympi_payload_count(c), first, 0.5 * ranks, complaint);
}
