/* A program that begins half a second late on the host LATE. */
#define _DEFAULT_SOURCE
#include <string.h>
#include <time.h>
#include <unistd.h>

static void __attribute__((constructor)) begin_late(void) {
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    if (!strcmp(host, LATE))
        nanosleep(&(struct timespec){0, 500000000}, NULL);
}
