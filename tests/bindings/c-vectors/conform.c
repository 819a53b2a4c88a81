/* Tests the harness against its conformance vectors (bindings/harness/vectors/README.md).

       conform plan PLAN          reads a plan and writes it to standard output again; exits with 3 if refused
       conform messages MESSAGES  fills and checks every message; exits with 1 at the first that is another
       conform samples FROM TO    writes samples as they stand in another file */
#define _DEFAULT_SOURCE
#include "polympi_harness.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int write_plan(const char *path) {
    char complaint[POLYMPI_COMPLAINT_BYTES] = "";
    struct polympi_plan plan;
    if (!polympi_plan_read(path, &plan, complaint)) {
        polympi_plan_free(&plan);
        fprintf(stderr, "%s\n", complaint);
        return POLYMPI_CANNOT_DO_THE_PLAN;
    }
    printf("polympi-plan 2\nwindow %" PRId32 "\npages %s\n", plan.window,
           plan.pages == POLYMPI_HUGE_PAGES ? "huge" : "plain");
    for (int64_t i = 0; i < plan.count; i++) {
        const struct polympi_case *c = &plan.cases[i];
        printf("case %" PRId32 " %s %s %s %" PRId64 " %" PRId32 " %" PRId32 " %" PRId32 " %" PRId32 "\n",
               c->id, polympi_benchmark_name(c->benchmark), polympi_mode_name(c->mode),
               polympi_payload_name(c->payload), c->bytes, c->warmup, c->batches, c->iterations, c->events);
    }
    printf("end\n");
    polympi_plan_free(&plan);
    return 0;
}

static int32_t payload_of(const char *name) {
    for (int32_t i = 0; i < POLYMPI_PAYLOADS; i++)
        if (strcmp(polympi_payload_name(i), name) == 0)
            return i;
    exit(2);
}

static bool accepts(const void *message, const struct polympi_case *c, int32_t origin, int32_t slot) {
    char complaint[POLYMPI_COMPLAINT_BYTES] = "";
    polympi_payload_check(message, c, origin, slot, complaint);
    return !complaint[0];
}

/* Whether the harness fills a message as the vector says, accepts it, and notices each wrong byte of it. */
static bool conforms(const struct polympi_case *c, int32_t origin, int32_t slot, const char *hex) {
    unsigned char *message = malloc((size_t)c->bytes + 1);
    char digits[3] = "";
    polympi_payload_poison(message, c->bytes);
    polympi_payload_fill(message, c, origin, slot);
    bool good = strlen(hex) == 2 * (size_t)c->bytes && accepts(message, c, origin, slot);
    for (int64_t i = 0; good && i < c->bytes; i++) {
        memcpy(digits, hex + 2 * i, 2);
        good = message[i] == strtoul(digits, NULL, 16);
        message[i] ^= 1;
        good = good && !accepts(message, c, origin, slot);
        message[i] ^= 1;
    }
    free(message);
    return good;
}

static int check_messages(const char *path) {
    FILE *file = fopen(path, "r");
    char line[4096], payload[16], hex[2048];
    int32_t origin, slot;
    int count = 0;
    while (file && fgets(line, sizeof line, file)) {
        struct polympi_case c = {0};
        hex[0] = '\0';
        if (sscanf(line, "%" SCNd32 " %" SCNd32 " %" SCNd32 " %15s %" SCNd64 " %2047s", &c.id, &origin, &slot,
                   payload, &c.bytes, hex) < 5)
            return 2;
        c.payload = payload_of(payload);
        if (!conforms(&c, origin, slot, hex)) {
            printf("another message: %s", line);
            return 1;
        }
        count++;
    }
    if (!file)
        return 2;
    fclose(file);
    printf("%d\n", count);
    return 0;
}

static void copy_times(struct polympi_samples *samples, const char *kind, char *rest) {
    int64_t ns[64];
    int32_t count = 0;
    const int32_t id = (int32_t)strtol(rest, &rest, 10);
    while (*rest && count < 64)
        ns[count++] = strtoll(rest, &rest, 10);
    polympi_samples_times(samples, kind, id, ns, count);
}

static int copy_samples(const char *from, const char *to) {
    char complaint[POLYMPI_COMPLAINT_BYTES] = "", line[4096];
    FILE *file = fopen(from, "r");
    struct polympi_samples *samples = polympi_samples_open(to, complaint); /* writes the first line */
    if (!file || !samples || !fgets(line, sizeof line, file))
        return 2;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "batch ", 6) == 0)
            copy_times(samples, "batch", line + 6);
        else if (strncmp(line, "event ", 6) == 0)
            copy_times(samples, "event", line + 6);
        else
            polympi_samples_record(samples, line);
    }
    fclose(file);
    polympi_samples_close(samples);
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "plan") == 0)
        return write_plan(argv[2]);
    if (argc == 3 && strcmp(argv[1], "messages") == 0)
        return check_messages(argv[2]);
    if (argc == 4 && strcmp(argv[1], "samples") == 0)
        return copy_samples(argv[2], argv[3]);
    return 2;
}
