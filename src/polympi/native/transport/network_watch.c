#include "transport/network_watch.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "transport/sleepers.h"

/* Connections come and go: how old the list of sockets may be when the thread is armed, and while it waits.
 * Listing 30 files takes some 50 us. */
#define FRESH_SECONDS 0.05
enum { REFRESH_MS = 1000 };
/* After a call in vain; twice as long after the next one. A rank that spins for 5 ms after each call then
 * does so once a second. */
#define PAUSE_SECONDS 1e-3
enum { MOST_DOUBLINGS = 10 };
/* The thread is trusted if two arrivals are announced for each late one: where it works, one of ten arrives
 * when a sleep of 1 ms has just ended. */
enum { CREDIT_OF_AN_ARRIVAL = 1, COST_OF_A_LATE_ONE = 2, MOST_CREDIT = 8 };

static struct {
    pthread_once_t once;
    _Atomic uint32_t armed;   /* the word that the thread sleeps on */
    atomic_bool connected;    /* there is a connection to another host */
    _Atomic uint32_t calls;   /* how often it has woken this rank */
    atomic_int in_vain;       /* those since something was found */
    _Atomic double resume_at; /* after calls in vain: when it may be armed again */
    atomic_int credit;        /* trusted if it isn't negative */
    int set;                  /* epoll's; the thread's own, as the next one */
    double listed_at;
} watch = {.once = PTHREAD_ONCE_INIT, .set = -1};

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- the sockets ---- */

static bool is_of_this_host(const struct sockaddr_storage *address) {
    enum { LOOPBACK = 127 };
    if (address->ss_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24 == LOOPBACK;
    const struct in6_addr *there = &((const struct sockaddr_in6 *)address)->sin6_addr;
    return IN6_IS_ADDR_LOOPBACK(there) || (IN6_IS_ADDR_V4MAPPED(there) && there->s6_addr[12] == LOOPBACK);
}

static int option(int file, int name) {
    int value = -1;
    return getsockopt(file, SOL_SOCKET, name, &value, &(socklen_t){sizeof value}) == 0 ? value : -1;
}

/* Another host may send to it, or connect to it. */
static bool is_of_network(int file, bool *listens) {
    struct sockaddr_storage address = {0};
    int domain = option(file, SO_DOMAIN);
    if ((domain != AF_INET && domain != AF_INET6) || option(file, SO_TYPE) != SOCK_STREAM)
        return false;
    *listens = option(file, SO_ACCEPTCONN) > 0;
    int code = (*listens ? getsockname : getpeername)(file, (struct sockaddr *)&address,
                                                      &(socklen_t){sizeof address});
    return code == 0 && !is_of_this_host(&address);
}

static void add_socket(int file, bool *connected) {
    bool listens;
    if (!is_of_network(file, &listens))
        return;
    /* Reported once for each arrival: a socket of the program stays readable while the program waits for MPI,
     * and those of MPI are read by the rank that it wakes. */
    struct epoll_event event = {.events = EPOLLIN | EPOLLET};
    if (epoll_ctl(watch.set, EPOLL_CTL_ADD, file, &event) == 0 || errno == EEXIST)
        *connected |= !listens;
}

/* Add the new ones; those that are closed leave the set by themselves. A new set would report again what
 * stays readable. Without malloc, which would reserve memory for one more thread. */
static void list_sockets(void) {
    struct entry {
        uint64_t inode;
        int64_t next;
        unsigned short size;
        unsigned char type;
        char name[];
    };
    _Alignas(struct entry) char entries[4096];
    bool connected = false;
    if (watch.set < 0)
        watch.set = epoll_create1(EPOLL_CLOEXEC);
    int folder = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    long nbytes;
    while (folder >= 0 && watch.set >= 0 &&
           (nbytes = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0)
        for (long at = 0; at < nbytes; at += ((struct entry *)(entries + at))->size) {
            const char *name = ((struct entry *)(entries + at))->name;
            if (*name != '.')
                add_socket(atoi(name), &connected);
        }
    if (folder >= 0)
        close(folder);
    atomic_store(&watch.connected, connected);
    watch.listed_at = seconds();
}

/* ---- the thread ---- */

static void disarm_and_wake(void) {
    atomic_store(&watch.armed, 0);
    if (!is_own_asleep()) /* it was left armed by an earlier wait */
        return;
    int in_vain = atomic_fetch_add(&watch.in_vain, 1);
    atomic_store(&watch.resume_at,
                 seconds() + PAUSE_SECONDS * (1 << (in_vain < MOST_DOUBLINGS ? in_vain : MOST_DOUBLINGS)));
    atomic_fetch_add(&watch.calls, 1);
    wake_own();
}

/* While armed: until something is readable, or nobody sleeps any more. */
static void watch_sockets(void) {
    struct epoll_event event;
    while (atomic_load(&watch.armed)) {
        int found = epoll_wait(watch.set, &event, 1, REFRESH_MS);
        if (found < 0 && errno != EINTR) {
            watch.set = -1; /* the program has closed it, and may have another file of this number */
            nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
        }
        if (found > 0)
            disarm_and_wake();
        else if (is_own_asleep())
            list_sockets();
        else
            atomic_store(&watch.armed, 0);
    }
}

static void *run_thread(void *unused) {
    (void)unused;
    for (;;) {
        while (!atomic_load(&watch.armed))
            syscall(SYS_futex, &watch.armed, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
        if (seconds() > watch.listed_at + FRESH_SECONDS)
            list_sockets();
        watch_sockets();
    }
    return NULL;
}

/* Signals are handled by the program's threads. Without a thread, it stays without connections. It ends with
 * the process, and does nothing while nobody sleeps. */
static void start(void) {
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, run_thread, NULL) == 0)
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- those who sleep ---- */

static bool is_paused(void) {
    return atomic_load(&watch.in_vain) && seconds() < atomic_load(&watch.resume_at);
}

bool network_watch_arm(void) {
    if (!atomic_load(&watch.armed)) {
        pthread_once(&watch.once, start);
        if (is_paused())
            return false;
        if (!atomic_exchange(&watch.armed, 1))
            syscall(SYS_futex, &watch.armed, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
    return atomic_load(&watch.connected);
}

bool network_watch_trusted(void) {
    return atomic_load(&watch.connected) && atomic_load(&watch.credit) >= 0 && !is_paused();
}

void network_watch_found(bool late) {
    int credit = atomic_load(&watch.credit);
    if (late)
        credit -= COST_OF_A_LATE_ONE;
    else if (atomic_exchange(&watch.in_vain, 0))
        credit += CREDIT_OF_AN_ARRIVAL;
    atomic_store(&watch.credit, credit > MOST_CREDIT    ? MOST_CREDIT
                                : credit < -MOST_CREDIT ? -MOST_CREDIT
                                                        : credit);
}

uint32_t network_watch_calls(void) { return atomic_load(&watch.calls); }
