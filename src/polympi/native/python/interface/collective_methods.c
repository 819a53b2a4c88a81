/* The methods of communicators that all ranks call together. */
#include "python/interface/communicator.h"

#include "collectives/collectives.h"
#include "reductions/reductions.h"

#define METHOD(name, documentation) KEYWORD_METHOD(#name, communicator_##name, documentation)

#define ROOT_ERROR "    RankError: there is no such rank as root.\n"
#define INTO_ERRORS                                                                                          \
    "    MismatchError: a message does not fit ``into``, or ``into`` is not writable.\n"                     \
    "    TruncationError: there are more elements than into holds.\n"
#define PIECES_ERROR                                                                                         \
    "    MismatchError: there is not one piece per rank, or counts do not add up to the rows.\n"
#define FAILED_ERROR "    Error: another rank could not send its part; the text says why.\n"
#define TIMEOUT_ERROR                                                                                        \
    "    Timeout: not all ranks called it in time, or one has left it before it was complete. This rank "    \
    "has left it, too; others do not get what they needed from it.\n"                                        \
    "    MismatchError: the ranks call different collectives, or name different roots.\n"
#define CUT                                                                                                  \
    "Of a list or tuple, item i is for rank i. An array is cut along its first axis as numpy.array_split "   \
    "cuts it, or as counts say.\n"
#define LAID                                                                                                 \
    "Pieces may differ in type and size: the ranks exchange these. With into they are arrays (or numbers) "  \
    "and are laid one after another along its first axis; what is left of it stays as it is.\n"

#define COMBINED                                                                                             \
    "Contributions are combined in the order of ranks: op(lower, higher). Numbers and objects follow "       \
    "Python's rules, so ints of any size stay exact; arrays follow NumPy's (the sum of booleans is "         \
    "their disjunction), and the result has their dtype and shape. Logical operations give booleans, of "    \
    "arrays 0 and 1 in their dtype. NaN wins in MIN and MAX. Contributions need not be alike: int and "      \
    "float, arrays that broadcast.\n"
#define CONTRIBUTION_ARGUMENT                                                                                \
    "    x: this rank's contribution: a number, an array, any object that op combines.\n"                    \
    "    op: SUM, PROD, MIN, MAX, LAND, LOR, LXOR, BAND, BOR, BXOR, MINLOC, MAXLOC (of pairs of a value "    \
    "and its place), or a result of polympi.op. The default is SUM.\n"
#define RESULT_ARGUMENT "    into: writable array or buffer for the result; it may be x itself.\n"
#define REDUCTION_ERRORS                                                                                     \
    "    MismatchError: op isn't an operation, or not the same on all ranks; it does not combine such "      \
    "values.\n"

#define REDUCTION(name, summary, exception, section)                                                         \
    METHOD(name, #name "($self, x, op=None, *, into=None, timeout=None)\n--\n\n" summary "\n\n" COMBINED     \
                       "\nArgs:\n" CONTRIBUTION_ARGUMENT RESULT_ARGUMENT TIMEOUT_ARGUMENT "\nReturns:\n"     \
                       "    The result, or what was given as into" exception                                 \
                       ".\n\nRaises:\n" REDUCTION_ERRORS INTO_ERRORS FAILED_ERROR TIMEOUT_ERROR              \
                       "\nMPI 5.0, section " section ".")

PyMethodDef collective_methods[] = {
    METHOD(barrier, "barrier($self, *, timeout=None)\n--\n\n"
                    "Wait until all ranks have called this.\n\n"
                    "Args:\n" TIMEOUT_ARGUMENT "\n"
                    "Raises:\n" TIMEOUT_ERROR "\nMPI 5.0, section 6.3."),
    METHOD(bcast,
           "bcast($self, obj=None, root=0, *, into=None, timeout=None)\n--\n\n"
           "Send the root's object to all ranks.\n\n"
           "Args:\n"
           "    obj: any object, at root; the contents of into by default. Ignored elsewhere.\n"
           "    root: the rank that has it.\n"
           "    into: writable array or buffer that takes up the elements of an array.\n" TIMEOUT_ARGUMENT
           "\n"
           "Returns:\n"
           "    The object: at root itself, elsewhere a copy. What was given as into, if it was.\n\n"
           "Raises:\n" ROOT_ERROR INTO_ERRORS FAILED_ERROR TIMEOUT_ERROR "\nMPI 5.0, section 6.4."),
    METHOD(gather,
           "gather($self, x, root=0, *, into=None, timeout=None)\n--\n\n"
           "Collect a piece of every rank at the root.\n\n" LAID "\n"
           "Args:\n"
           "    x: any object: this rank's piece.\n"
           "    root: the rank that gets them.\n"
           "    into: writable array or buffer for the pieces, at root; ignored elsewhere.\n" TIMEOUT_ARGUMENT
           "\n"
           "Returns:\n"
           "    At root a list, by rank, or what was given as into; None elsewhere.\n\n"
           "Raises:\n" ROOT_ERROR INTO_ERRORS FAILED_ERROR TIMEOUT_ERROR "\nMPI 5.0, section 6.5."),
    METHOD(scatter, "scatter($self, pieces=None, root=0, *, counts=None, into=None, timeout=None)\n--\n\n"
                    "Send each rank its piece of the root's object.\n\n" CUT "\n"
                    "Args:\n"
                    "    pieces: list, tuple or array, at root; ignored elsewhere.\n"
                    "    root: the rank that has them.\n"
                    "    counts: rows of the array for each rank, at root.\n"
                    "    into: writable array or buffer for this rank's piece.\n" TIMEOUT_ARGUMENT "\n"
                    "Returns:\n"
                    "    This rank's piece, a copy at root, too; or what was given as into.\n\n"
                    "Raises:\n" ROOT_ERROR PIECES_ERROR INTO_ERRORS FAILED_ERROR TIMEOUT_ERROR
                    "\nMPI 5.0, section 6.6."),
    METHOD(allgather, "allgather($self, x, *, into=None, timeout=None)\n--\n\n"
                      "Collect a piece of every rank at all ranks.\n\n" LAID "\n"
                      "Args:\n"
                      "    x: any object: this rank's piece.\n"
                      "    into: writable array or buffer for the pieces.\n" TIMEOUT_ARGUMENT "\n"
                      "Returns:\n"
                      "    A list, by rank, or what was given as into.\n\n"
                      "Raises:\n" INTO_ERRORS FAILED_ERROR TIMEOUT_ERROR "\nMPI 5.0, section 6.7."),
    METHOD(alltoall,
           "alltoall($self, pieces, *, counts=None, into=None, timeout=None)\n--\n\n"
           "Send each rank its piece of every rank's object.\n\n" CUT LAID "\n"
           "Args:\n"
           "    pieces: list, tuple or array.\n"
           "    counts: rows of the array for each rank.\n"
           "    into: writable array or buffer for the received pieces.\n" TIMEOUT_ARGUMENT "\n"
           "Returns:\n"
           "    A list of the received pieces, by rank, or what was given as into.\n\n"
           "Raises:\n" PIECES_ERROR INTO_ERRORS FAILED_ERROR TIMEOUT_ERROR "\nMPI 5.0, section 6.8."),
    METHOD(reduce, "reduce($self, x, op=None, root=0, *, into=None, timeout=None)\n--\n\n"
                   "Combine the contributions of all ranks, at the root.\n\n" COMBINED "\n"
                   "Args:\n" CONTRIBUTION_ARGUMENT
                   "    root: the rank that gets the result.\n" RESULT_ARGUMENT TIMEOUT_ARGUMENT "\n"
                   "Returns:\n"
                   "    At root the result, or what was given as into; None elsewhere.\n\n"
                   "Raises:\n" ROOT_ERROR REDUCTION_ERRORS INTO_ERRORS FAILED_ERROR TIMEOUT_ERROR
                   "\nMPI 5.0, section 6.9.1."),
    REDUCTION(allreduce, "Combine the contributions of all ranks, at all ranks: the same bits at each.", "",
              "6.9.6"),
    REDUCTION(scan, "Combine the contributions of the ranks up to this one, with its own.", "", "6.11.1"),
    REDUCTION(exscan, "Combine the contributions of the ranks below this one, without its own.",
              "; None at rank 0", "6.11.2"),
    METHOD(
        reduce_scatter,
        "reduce_scatter($self, x, op=None, *, into=None, timeout=None)\n--\n\n"
        "Combine the contributions of all ranks, and give each rank its piece of the result.\n\n" CUT COMBINED
        "\n"
        "Args:\n"
        "    x: list or tuple of a contribution for each rank, or an array.\n"
        "    op: as of reduce.\n" RESULT_ARGUMENT TIMEOUT_ARGUMENT "\n"
        "Returns:\n"
        "    This rank's piece of the result, or what was given as into.\n\n"
        "Raises:\n" PIECES_ERROR REDUCTION_ERRORS INTO_ERRORS FAILED_ERROR TIMEOUT_ERROR
        "\nMPI 5.0, section 6.10."),
    {"_tree", (PyCFunction)communicator_tree, METH_NOARGS,
     "_tree($self, /)\n--\n\n"
     "This rank in the tree from rank 0 on: its parent, PROC_NULL of rank 0, and its children.\n\n"
     "The ranks below a child follow it, up to the next child."},
    {NULL, NULL, 0, NULL},
};

int collectives_prepare(void) {
    return PREPARE_SIGNATURES(&barrier_signature, &bcast_signature, &gather_signature, &scatter_signature,
                              &allgather_signature, &alltoall_signature, &reduce_signature,
                              &allreduce_signature, &scan_signature, &exscan_signature,
                              &reduce_scatter_signature);
}
