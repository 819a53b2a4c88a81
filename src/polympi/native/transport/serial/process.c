#include "serial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int level, initialised, finalised;

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    initialised = 1;
    *provided = level = required;
    return MPI_SUCCESS;
}

int MPI_Initialized(int *flag) {
    *flag = initialised;
    return MPI_SUCCESS;
}

int MPI_Query_thread(int *provided) {
    *provided = level;
    return MPI_SUCCESS;
}

/* Attributes of MPI_COMM_SELF go first, while all functions still work (MPI 5.0, section 11.2.4). */
int MPI_Finalize(void) {
    attributes_remove();
    finalised = 1;
    messages_forget(NULL);
    return MPI_SUCCESS;
}

int MPI_Finalized(int *flag) {
    *flag = finalised;
    return MPI_SUCCESS;
}

int MPI_Abort(MPI_Comm comm, int code) { _exit(code); }

int MPI_Get_library_version(char *version, int *length) {
    *length = snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING, "polympi serial: one rank, no MPI library");
    return MPI_SUCCESS;
}

int MPI_Get_processor_name(char *name, int *length) {
    if (gethostname(name, MPI_MAX_PROCESSOR_NAME) != 0)
        name[0] = '\0';
    *length = (int)strnlen(name, MPI_MAX_PROCESSOR_NAME);
    return MPI_SUCCESS;
}

int MPI_Error_class(int code, int *class) {
    *class = code;
    return MPI_SUCCESS;
}

int MPI_Error_string(int code, char *text, int *length) {
    static const char *const texts[] = {
        [MPI_SUCCESS] = "no error",
        [MPI_ERR_COUNT] = "a count is not possible",
        [MPI_ERR_TAG] = "a tag is not possible",
        [MPI_ERR_RANK] = "there is rank 0 alone",
        [MPI_ERR_ROOT] = "there is rank 0 alone",
        [MPI_ERR_OP] = "the operation does not go with the datatype",
        [MPI_ERR_ARG] = "an argument is not possible",
        [MPI_ERR_TRUNCATE] = "the message is longer than the memory to receive it",
        [MPI_ERR_OTHER] = "no memory is left",
        [MPI_ERR_IN_STATUS] = "one of several requests has failed",
        [MPI_ERR_PENDING] = "not complete",
        [MPI_ERR_ACCESS] = "the file may not be used so",
        [MPI_ERR_FILE_EXISTS] = "the file exists",
        [MPI_ERR_IO] = "input or output has failed",
        [MPI_ERR_NO_SPACE] = "no space is left for the file",
        [MPI_ERR_NO_SUCH_FILE] = "there is no such file",
        [MPI_ERR_QUOTA] = "the quota is used up",
        [MPI_ERR_READ_ONLY] = "the file system is read-only",
    };
    *length = snprintf(text, MPI_MAX_ERROR_STRING, "%s", texts[code]);
    return MPI_SUCCESS;
}
