/* The file of this process: made, mapped, and extended by a segment per thread. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder.h"

enum { PAGE = 4096, KNOWN_STRINGS = 1024, MOST_FILES = 1000 };

struct header *file_header;
struct site *file_sites;
struct communicator *file_communicators;
static char *strings;
static int descriptor = -1;
static uint64_t file_bytes;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t known[KNOWN_STRINGS]; /* strings by their hash, to find those that are there */

void say(const char *sentence, const char *detail) {
    char text[1024];
    int bytes = snprintf(text, sizeof text, "polympi audit: %s%s%s\n", sentence, *detail ? ": " : "", detail);
    if (bytes > 0 &&
        write(STDERR_FILENO, text, bytes < (int)sizeof text ? (size_t)bytes : sizeof text - 1) < 0)
        return; /* there is nobody to tell */
}

static uint64_t whole_pages(uint64_t bytes) { return (bytes + PAGE - 1) / PAGE * PAGE; }

/* Where the file system can't reserve, zeros are written. */
static bool write_zeros(uint64_t offset, uint64_t bytes) {
    static const char zeros[1 << 16];
    while (bytes) {
        size_t part = bytes < sizeof zeros ? bytes : sizeof zeros;
        ssize_t written = pwrite(descriptor, zeros, part, (off_t)offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        offset += (uint64_t)written, bytes -= (uint64_t)written;
    }
    return true;
}

/* Memory of a file on a full disk ends the program when it is touched, so nothing is touched that has no
 * place. */
bool allocate(uint64_t offset, uint64_t bytes) {
    int error;
    do
        error = fallocate(descriptor, 0, (off_t)offset, (off_t)bytes) == 0 ? 0 : errno;
    while (error == EINTR);
    if (error == EOPNOTSUPP || error == ENOSYS)
        return write_zeros(offset, bytes);
    return error == 0;
}

static int create(const char *folder, const char *host) {
    char path[4096];
    for (int again = 0; again < MOST_FILES; again++) {
        int bytes =
            again == 0 ? snprintf(path, sizeof path, "%s/%s-%d.audit", folder, host, (int)getpid())
                       : snprintf(path, sizeof path, "%s/%s-%d.%d.audit", folder, host, (int)getpid(), again);
        if (bytes >= (int)sizeof path)
            return -1;
        int made = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        if (made >= 0 && getenv("POLYMPI_AUDIT_FORGET")) /* where only the cost of recording matters */
            unlink(path);
        if (made >= 0 || errno != EEXIST)
            return made;
    }
    return -1;
}

static struct table part(uint64_t *offset, uint32_t size, uint64_t number, uint32_t used) {
    struct table table = {*offset, size, used};
    *offset = whole_pages(*offset + size * number);
    return table;
}

static uint64_t segment_bytes(uint32_t events, int ranks) {
    return whole_pages(sizeof(struct segment) + MAX_ENTRIES * sizeof(struct entry) +
                       MAX_PENDING * sizeof(struct pending) + (uint64_t)ranks * sizeof(struct peer) +
                       (uint64_t)events * sizeof(struct event));
}

static uint32_t names_bytes(void) {
    uint32_t bytes = 0;
    for (int k = 0; k < PROCEDURES; k++)
        bytes += (uint32_t)strlen(procedures[k].name) + 1;
    return bytes;
}

static void write_names(char *into) {
    for (int k = 0; k < PROCEDURES; k++) {
        size_t bytes = strlen(procedures[k].name);
        memcpy(into, procedures[k].name, bytes);
        into += bytes;
        *into++ = '\n';
    }
}

static void copy_text(char *into, size_t room, const char *text) { snprintf(into, room, "%s", text); }

static void describe_process(struct header *header) {
    int command = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t bytes = command < 0 ? 0 : read(command, header->program, sizeof header->program - 1);
    for (ssize_t k = 0; k + 1 < bytes; k++)
        if (!header->program[k])
            header->program[k] = '\n';
    if (command >= 0)
        close(command);
    copy_text(header->library, sizeof header->library, library_path());
    gethostname(header->host, sizeof header->host - 1);
    header->pid = getpid();
}

static bool give_up(const char *why, const char *detail) {
    say(why, detail);
    if (descriptor >= 0)
        close(descriptor);
    descriptor = -1;
    return false;
}

/* Fails, with a sentence, where nothing can be written; the program goes on without being recorded. */
bool open_file(const char *folder, uint32_t events, int ranks) {
    char host[64] = "";
    gethostname(host, sizeof host - 1);
    descriptor = create(folder, host);
    if (descriptor < 0)
        return give_up("this process isn't recorded, as its file can't be made", strerror(errno));
    uint64_t end = whole_pages(sizeof(struct header));
    struct header layout = {.version = LAYOUT_VERSION, .rank = -1, .timeline = events};
    layout.procedures = part(&end, 1, names_bytes(), names_bytes());
    layout.sites = part(&end, sizeof(struct site), MAX_SITES, 0);
    layout.communicators = part(&end, sizeof(struct communicator), MAX_COMMUNICATORS, 0);
    layout.strings = part(&end, 1, STRING_BYTES, 1);
    layout.threads = (struct table){0, 0, 0};
    uint64_t segment = segment_bytes(events, ranks);
    layout.threads.offset = end;
    layout.threads.size = (uint32_t)segment;
    if (segment > UINT32_MAX || ftruncate(descriptor, (off_t)end) != 0 || !allocate(0, end))
        return give_up("this process isn't recorded, as its file can't be written", strerror(errno));
    char *mapped = mmap(NULL, end, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (mapped == MAP_FAILED)
        return give_up("this process isn't recorded, as its file can't be mapped into memory",
                       strerror(errno));
    file_bytes = end;
    file_header = (struct header *)mapped;
    *file_header = layout;
    describe_process(file_header);
    write_names(mapped + layout.procedures.offset);
    file_sites = (struct site *)(mapped + layout.sites.offset);
    file_communicators = (struct communicator *)(mapped + layout.communicators.offset);
    strings = mapped + layout.strings.offset;
    return true;
}

/* Of all segments, only the part before the ring is sure to have a place; events take theirs as they are
 * written. */
uint64_t add_segment(void) {
    struct table *threads = &file_header->threads;
    uint64_t ring = (uint64_t)file_header->timeline * sizeof(struct event), offset = 0;
    pthread_mutex_lock(&lock);
    if (descriptor >= 0 && threads->used < MAX_THREADS &&
        ftruncate(descriptor, (off_t)(file_bytes + threads->size)) == 0 &&
        allocate(file_bytes, whole_pages(threads->size - ring))) {
        offset = file_bytes;
        file_bytes += threads->size;
    }
    pthread_mutex_unlock(&lock);
    return offset;
}

void *map_segment(uint64_t offset) {
    void *mapped =
        mmap(NULL, file_header->threads.size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, (off_t)offset);
    return mapped == MAP_FAILED ? NULL : mapped;
}

void leave_file(void) {
    if (descriptor >= 0)
        close(descriptor);
    descriptor = -1;
}

static uint32_t hash_text(const char *text, size_t bytes) {
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t k = 0; k < bytes; k++)
        hash = (hash ^ (unsigned char)text[k]) * 16777619u;
    return hash;
}

/* The number of a string; 0, the empty one, if it does not fit. */
uint32_t put_string(const char *text, size_t bytes) {
    if (!bytes)
        return 0;
    uint32_t *place = &known[hash_text(text, bytes) % KNOWN_STRINGS], number = 0;
    pthread_mutex_lock(&lock);
    struct table *table = &file_header->strings;
    if (*place && memcmp(strings + *place, text, bytes) == 0 && !strings[*place + bytes]) {
        number = *place;
    } else if (bytes < STRING_BYTES - table->used) {
        number = table->used;
        memcpy(strings + number, text, bytes);
        strings[number + bytes] = 0;
        __atomic_store_n(&table->used, number + (uint32_t)bytes + 1, __ATOMIC_RELEASE);
        *place = number;
    }
    pthread_mutex_unlock(&lock);
    return number;
}
