#include "transport/files.h"

#include <errno.h>

/* MPI_INFO_NULL where there are none. */
static int make_info(const char *const *hints, MPI_Info *info) {
    *info = MPI_INFO_NULL;
    int code = hints[0] ? MPI_Info_create(info) : MPI_SUCCESS;
    for (; code == MPI_SUCCESS && hints[0]; hints += 2)
        code = MPI_Info_set(*info, hints[0], hints[1]);
    return code;
}

int file_open(MPI_Comm comm, const char *path, enum file_access access, const char *const *hints,
              MPI_File *file) {
    MPI_Info info;
    int mode = access == FILE_READS    ? MPI_MODE_RDONLY
               : access == FILE_WRITES ? MPI_MODE_WRONLY
                                       : MPI_MODE_RDWR;
    int code = make_info(hints, &info); /* the same on all ranks, as the hints are */
    if (code == MPI_SUCCESS)
        code = MPI_File_open(comm, path, mode, info, file);
    if (info != MPI_INFO_NULL)
        MPI_Info_free(&info);
    return code;
}

static int call(const FilePiece *piece, MPI_Offset offset, int nbytes, MPI_Status *status) {
    if (piece->together)
        return piece->writes
                   ? MPI_File_write_at_all(piece->file, offset, piece->data, nbytes, MPI_BYTE, status)
                   : MPI_File_read_at_all(piece->file, offset, piece->data, nbytes, MPI_BYTE, status);
    return piece->writes ? MPI_File_write_at(piece->file, offset, piece->data, nbytes, MPI_BYTE, status)
                         : MPI_File_read_at(piece->file, offset, piece->data, nbytes, MPI_BYTE, status);
}

static int set_view(MPI_File file, MPI_Offset start, MPI_Datatype places) {
    return MPI_File_set_view(file, start, MPI_BYTE, places, "native", MPI_INFO_NULL);
}

int file_move(void *context) {
    FilePiece *piece = context;
    MPI_Status status = {0}; /* not every library sets it where nothing is moved */
    int seen = piece->viewed ? set_view(piece->file, piece->offset, piece->places) : MPI_SUCCESS;
    int nbytes = seen == MPI_SUCCESS ? piece->nbytes : 0;
    int code = call(piece, piece->viewed ? 0 : piece->offset, nbytes, &status);
    if (code == MPI_SUCCESS)
        code = MPI_Get_elements_x(&status, MPI_BYTE, &piece->moved);
    int restored = piece->viewed ? set_view(piece->file, 0, MPI_BYTE) : MPI_SUCCESS;
    return seen != MPI_SUCCESS ? seen : code != MPI_SUCCESS ? code : restored;
}

int file_errno(int code) {
    int class = MPI_ERR_OTHER;
    MPI_Error_class(code, &class);
    return class == MPI_ERR_NO_SPACE       ? ENOSPC
           : class == MPI_ERR_QUOTA        ? EDQUOT
           : class == MPI_ERR_ACCESS       ? EACCES
           : class == MPI_ERR_READ_ONLY    ? EROFS
           : class == MPI_ERR_NO_SUCH_FILE ? ENOENT
           : class == MPI_ERR_FILE_EXISTS  ? EEXIST
                                           : EIO;
}
