/* The seam between the core and MPI's calls for files: no other file makes these. All need the turn in MPI,
 * and none needs the GIL. Where nothing else is said they return MPI's code. */
#pragma once

#include "transport/transport.h"

enum file_access { FILE_READS = 1, FILE_WRITES = 2 };

/* Open a file that exists. `hints` are keys, each with its value after it, and then NULL. Collective. */
int file_open(MPI_Comm comm, const char *path, enum file_access access, const char *const *hints,
              MPI_File *file);

/* A piece of a file, which one call reads or writes. */
typedef struct {
    MPI_File file;
    bool writes, together; /* `together`: the call is collective */
    bool viewed;           /* collective, and on some rank the bytes don't follow one another in the file */
    MPI_Datatype places;   /* then: where the bytes of this rank are, from `offset` on */
    MPI_Offset offset;     /* in bytes */
    void *data;
    int nbytes;
    MPI_Count moved; /* bytes: the result */
} FilePiece;

/* A FilePiece. A collective call is made even if this rank can't do its part, since the others wait for it.
 */
int file_move(void *piece);

/* The number of errno that fits MPI's code: EIO if no other does. */
int file_errno(int code);
