#include "base/errors.h"
#include "transport/transport.h"

int raise_mpi(int code, const Call *call) {
    if (state.without_python)
        return -1;
    int class = MPI_ERR_OTHER, length = 0;
    char text[MPI_MAX_ERROR_STRING + 1] = "";
    MPI_Error_class(code, &class);
    if (MPI_Error_string(code, text, &length) == MPI_SUCCESS)
        text[length] = '\0';
    for (char *c = text; *c; c++) /* MPICH explains itself in several lines */
        if (*c == '\n')
            *c = ' ';
    const char *name = class == MPI_ERR_TRUNCATE                        ? "TruncationError"
                       : class == MPI_ERR_RANK || class == MPI_ERR_ROOT ? "RankError"
                       : class == MPI_ERR_TAG                           ? "TagError"
                                                                        : "Error";
    PyObject *sentence = PyUnicode_FromFormat("the MPI library reports: %s", text);
    return raise_coded(name, call, sentence, class);
}
