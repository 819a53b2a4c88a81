/* Files of one rank. */
#include "serial.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file, and where the bytes of a call go: from `start` as the type `places` has them. */
struct serial_file {
    int fd;
    MPI_Offset start;
    MPI_Datatype places;
};

/* The class of the error in errno. */
static int failure(void) {
    switch (errno) {
    case EACCES:
    case EPERM:
    case EBADF:
        return MPI_ERR_ACCESS;
    case EEXIST:
        return MPI_ERR_FILE_EXISTS;
    case ENOENT:
        return MPI_ERR_NO_SUCH_FILE;
    case ENOSPC:
    case EFBIG:
        return MPI_ERR_NO_SPACE;
    case EDQUOT:
        return MPI_ERR_QUOTA;
    case EROFS:
        return MPI_ERR_READ_ONLY;
    default:
        return MPI_ERR_IO;
    }
}

int MPI_Info_create(MPI_Info *info) {
    *info = 1;
    return MPI_SUCCESS;
}

int MPI_Info_set(MPI_Info info, const char *key, const char *value) { return MPI_SUCCESS; }

int MPI_Info_free(MPI_Info *info) {
    *info = MPI_INFO_NULL;
    return MPI_SUCCESS;
}

int MPI_File_open(MPI_Comm comm, const char *path, int mode, MPI_Info info, MPI_File *made) {
    int access = mode == MPI_MODE_RDONLY ? O_RDONLY : mode == MPI_MODE_WRONLY ? O_WRONLY : O_RDWR;
    MPI_File file = malloc(sizeof *file);
    if (!file)
        return MPI_ERR_OTHER;
    *file = (struct serial_file){.fd = open(path, access | O_CLOEXEC), .places = MPI_BYTE};
    if (file->fd >= 0) {
        *made = file;
        return MPI_SUCCESS;
    }
    free(file);
    return failure();
}

int MPI_File_close(MPI_File *file) {
    int code = close((*file)->fd) == 0 ? MPI_SUCCESS : failure();
    type_drop((*file)->places);
    free(*file);
    *file = NULL;
    return code;
}

int MPI_File_set_view(MPI_File file, MPI_Offset start, MPI_Datatype element, MPI_Datatype places,
                      const char *representation, MPI_Info info) {
    type_keep(places);
    type_drop(file->places);
    file->start = start;
    file->places = places;
    return MPI_SUCCESS;
}

/* What is left of a call. */
struct rest {
    int fd;
    bool writes;
    char *data;
    size_t nbytes;
    bool ends; /* the file ends before the call does */
};

static int move_run(struct rest *rest, size_t nbytes, MPI_Offset at) {
    if (nbytes > rest->nbytes)
        nbytes = rest->nbytes;
    while (nbytes && !rest->ends) {
        ssize_t moved =
            rest->writes ? pwrite(rest->fd, rest->data, nbytes, at) : pread(rest->fd, rest->data, nbytes, at);
        if (moved < 0 && errno == EINTR)
            continue;
        if (moved < 0)
            return failure();
        rest->ends = moved == 0;
        rest->data += moved;
        rest->nbytes -= (size_t)moved;
        nbytes -= (size_t)moved;
        at += moved;
    }
    return MPI_SUCCESS;
}

static int move_places(struct rest *rest, const struct serial_type *places, MPI_Offset at) {
    if (places->contiguous)
        return move_run(rest, places->nbytes, at);
    int code = MPI_SUCCESS;
    for (int i = 0; i < places->count && rest->nbytes && !rest->ends && code == MPI_SUCCESS; i++)
        code = move_places(rest, places->of, at + (MPI_Offset)i * places->stride);
    return code;
}

static int move(MPI_File file, struct rest rest, MPI_Offset offset, MPI_Status *status) {
    rest.fd = file->fd;
    size_t nbytes = rest.nbytes;
    int code = file->places == MPI_BYTE ? move_run(&rest, nbytes, file->start + offset)
                                        : move_places(&rest, file->places, file->start + offset);
    *status = (MPI_Status){.nbytes = (long long)(nbytes - rest.nbytes)};
    return code;
}

int MPI_File_read_at(MPI_File file, MPI_Offset offset, void *data, int count, MPI_Datatype type,
                     MPI_Status *status) {
    return move(file, (struct rest){.data = data, .nbytes = (size_t)count * type->nbytes}, offset, status);
}

int MPI_File_write_at(MPI_File file, MPI_Offset offset, const void *data, int count, MPI_Datatype type,
                      MPI_Status *status) {
    const struct rest rest = {.writes = true, .data = (char *)data, .nbytes = (size_t)count * type->nbytes};
    return move(file, rest, offset, status);
}

int MPI_File_read_at_all(MPI_File file, MPI_Offset offset, void *data, int count, MPI_Datatype type,
                         MPI_Status *status) {
    return MPI_File_read_at(file, offset, data, count, type, status);
}

int MPI_File_write_at_all(MPI_File file, MPI_Offset offset, const void *data, int count, MPI_Datatype type,
                          MPI_Status *status) {
    return MPI_File_write_at(file, offset, data, count, type, status);
}

int MPI_File_get_size(MPI_File file, MPI_Offset *size) {
    struct stat found;
    if (fstat(file->fd, &found) != 0)
        return failure();
    *size = found.st_size;
    return MPI_SUCCESS;
}

int MPI_File_set_size(MPI_File file, MPI_Offset size) {
    return ftruncate(file->fd, size) == 0 ? MPI_SUCCESS : failure();
}

int MPI_File_sync(MPI_File file) { return fsync(file->fd) == 0 ? MPI_SUCCESS : failure(); }
