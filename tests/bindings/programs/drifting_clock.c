/* A clock that is ten percent too fast on the second host, instead of the one that the common start reads:
   the linker is told to call this instead. A common origin keeps what the two clocks show comparable
   afterwards. */
#define _GNU_SOURCE
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TOO_FAST = 10, SECOND = 1000000000 };

int __real_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time);

static int is_second_host(void) {
    static int known = -1;
    char name[64] = "";
    if (known < 0) {
        gethostname(name, sizeof name - 1);
        known = strcmp(name, "hostb") == 0;
    }
    return known;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *time) {
    const int result = __real_clock_gettime(clock, time);
    if (is_second_host()) {
        const long long ns = (long long)time->tv_sec * SECOND + time->tv_nsec;
        const long long shown = ns + ns / TOO_FAST;
        time->tv_sec = shown / SECOND;
        time->tv_nsec = shown % SECOND;
    }
    return result;
}
