/* Writes to standard output the message that rank ORIGIN sends in slot SLOT of case ID, and checks that the
   reference program sees every single wrong byte of it: exits with 1 if one is missed, or a right one is not
   accepted.

       message ID ORIGIN SLOT PAYLOAD BYTES        (PAYLOAD is a number of enum payload) */
#include "payload.h"
#include "ranks.h"

#include <stdio.h>
#include <stdlib.h>

static bool complains(const unsigned char *message, const struct plan_case *c, int origin, int slot) {
    char complaint[COMPLAINT_BYTES] = "";
    payload_check(message, c, origin, slot, complaint);
    return complaint[0] != '\0';
}

int main(int argc, char **argv) {
    if (argc != 6)
        return 2;
    const int origin = atoi(argv[2]), slot = atoi(argv[3]);
    const struct plan_case c = {
        .id = atoi(argv[1]), .payload = (enum payload)atoi(argv[4]), .bytes = (size_t)atol(argv[5])};
    unsigned char *message = malloc(c.bytes + 1);
    if (!message)
        return 2;
    payload_fill(message, &c, origin, slot);
    fwrite(message, 1, c.bytes, stdout);
    bool seen = !complains(message, &c, origin, slot);
    for (size_t i = 0; i < c.bytes; i++) {
        message[i] ^= 1;
        seen = seen && complains(message, &c, origin, slot);
        message[i] ^= 1;
    }
    free(message);
    return seen ? 0 : 1;
}
