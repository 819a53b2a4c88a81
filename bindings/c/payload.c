#include "payload.h"
#include "ranks.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The payload `dict`: an object of three fields. */
struct record {
    int64_t integer;
    double real;
    char text[8];
};

static MPI_Datatype record_type;

void payload_begin(void) {
    const int lengths[3] = {1, 1, 8};
    const MPI_Aint places[3] = {offsetof(struct record, integer), offsetof(struct record, real),
                                offsetof(struct record, text)};
    MPI_Datatype types[3] = {MPI_INT64_T, MPI_DOUBLE, MPI_CHAR};
    MPI_Type_create_struct(3, lengths, places, types, &record_type);
    MPI_Type_commit(&record_type);
}

void payload_end(void) { MPI_Type_free(&record_type); }

MPI_Datatype payload_datatype(enum payload payload) {
    switch (payload) {
    case FLOAT64:
    case FLOAT:
    case ARRAY:
        return MPI_DOUBLE;
    case INT:
        return MPI_INT64_T;
    case DICT:
        return record_type;
    default:
        return MPI_BYTE;
    }
}

size_t payload_count(const struct plan_case *c) {
    switch (c->payload) {
    case NONE:
        return 0;
    case BYTES:
        return c->bytes;
    case FLOAT64:
    case ARRAY:
        return c->bytes / sizeof(double);
    default:
        return 1;
    }
}

void payload_poison(void *message, size_t bytes) { memset(message, 0xEE, bytes); }

/* Byte i is 131 i + 17 (i / 256) + shift, modulo 256. Since 131 * 43 = 1 modulo 256, a row of 256 bytes is
   a stretch of the sequence 131 k that begins at k = 43 (17 row + shift), and rows are copied and compared
   whole. */
enum { ROW = 256, STEP = 131, INVERSE_OF_STEP = 43 };

static unsigned byte_shift(const struct plan_case *c, int origin, int slot) {
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
        snprintf(complaint, COMPLAINT_BYTES, "byte %zu is %d instead of %d", row * ROW + i, found[i],
                 expected[i]);
        return;
    }
}

static void check_doubles(const double *message, size_t count, double first, double step, char *complaint) {
    for (size_t i = 0; i < count; i++)
        if (message[i] != first + step * (double)i) {
            snprintf(complaint, COMPLAINT_BYTES, "element %zu is %.17g instead of %.17g", i, message[i],
                     first + step * (double)i);
            return;
        }
}

static void check_integer(int64_t found, int64_t expected, char *complaint) {
    if (found != expected)
        snprintf(complaint, COMPLAINT_BYTES, "the integer is %lld instead of %lld", (long long)found,
                 (long long)expected);
}

static double first_double(const struct plan_case *c, int origin, int slot) {
    return (double)c->id + 11.0 * origin + 5.0 * slot;
}

/* Objects differ with case, origin and slot. */
static int64_t integer_value(const struct plan_case *c, int origin, int slot) {
    return (int64_t)1000000 * c->id + 1000 * origin + slot;
}

static double real_value(const struct plan_case *c, int origin, int slot) {
    return 0.5 * (double)integer_value(c, origin, slot);
}

static struct record record_value(const struct plan_case *c, int origin, int slot) {
    struct record record = {.integer = integer_value(c, origin, slot), .real = real_value(c, origin, slot)};
    int64_t rest = record.integer;
    for (int digit = 7; digit >= 0; digit--, rest /= 10)
        record.text[digit] = (char)('0' + rest % 10);
    return record;
}

void payload_fill(void *message, const struct plan_case *c, int origin, int slot) {
    const size_t count = payload_count(c);
    const double first = first_double(c, origin, slot);
    double *doubles = message;
    switch (c->payload) {
    case BYTES:
        fill_bytes(message, count, byte_shift(c, origin, slot));
        break;
    case FLOAT64:
    case ARRAY:
        for (size_t i = 0; i < count; i++)
            doubles[i] = first + 0.5 * (double)i;
        break;
    case INT:
        *(int64_t *)message = integer_value(c, origin, slot);
        break;
    case FLOAT:
        *doubles = real_value(c, origin, slot);
        break;
    case DICT:
        *(struct record *)message = record_value(c, origin, slot);
        break;
    default:
        break;
    }
}

void payload_check(const void *message, const struct plan_case *c, int origin, int slot, char *complaint) {
    const struct record record = record_value(c, origin, slot);
    switch (c->payload) {
    case BYTES:
        check_bytes(message, c->bytes, byte_shift(c, origin, slot), complaint);
        break;
    case FLOAT64:
    case ARRAY:
        check_doubles(message, payload_count(c), first_double(c, origin, slot), 0.5, complaint);
        break;
    case INT:
        check_integer(*(const int64_t *)message, record.integer, complaint);
        break;
    case FLOAT:
        check_doubles(message, 1, record.real, 0, complaint);
        break;
    case DICT:
        if (memcmp(message, &record, sizeof record) != 0)
            snprintf(complaint, COMPLAINT_BYTES, "the object's fields differ from those sent");
        break;
    default:
        break;
    }
}

void payload_check_sum(const void *message, const struct plan_case *c, int ranks, char *complaint) {
    double first = 0;
    int64_t integer = 0;
    for (int origin = 0; origin < ranks; origin++) {
        first += c->payload == FLOAT ? real_value(c, origin, 0) : first_double(c, origin, 0);
        integer += integer_value(c, origin, 0);
    }
    if (c->payload == INT)
        check_integer(*(const int64_t *)message, integer, complaint);
    else
        check_doubles(message, payload_count(c), first, 0.5 * ranks, complaint);
}
