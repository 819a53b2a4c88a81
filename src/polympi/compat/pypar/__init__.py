"""Pypar 2.1.4: ``import pypar`` starts MPI; then ``pypar.send``, ``pypar.receive`` and the others work on all ranks.

Each message is one message of polympi, which says by itself what it holds. So a receiver needs no buffer, and
``use_buffer`` of the sender need not match. :data:`DIFFERENCES` has all that is not as it was; docs/compat/pypar.md
says how to run a script.
"""

# mypy: implicit-reexport
# ruff: noqa: F401  (what is imported is the interface)

from polympi.compat import exports as _exports
from polympi.compat import missing as _missing
from polympi.compat.pypar.buffered import (
    alloc,
    alloc_and_attach,
    array_push_for_alloc_and_attach,
    attach,
    dealloc,
    detach,
    detach_and_dealloc,
    mpi_alloc,
    mpi_alloc_and_attach,
    mpi_attach,
    mpi_dealloc,
    mpi_detach,
    mpi_detach_and_dealloc,
    push_for_alloc,
    string_push_for_alloc_and_attach,
)
from polympi.compat.pypar.collectives import broadcast, gather, reduce, scatter
from polympi.compat.pypar.constants import (
    BAND,
    BOR,
    BXOR,
    LAND,
    LOR,
    LXOR,
    MAX,
    MIN,
    PROD,
    SUM,
    any_source,
    any_tag,
    control_data_max_size,
    control_sep,
    control_tag,
    default_tag,
)
from polympi.compat.pypar.control import create_control_info, receive_control_info, send_control_info
from polympi.compat.pypar.messages import bsend, receive, send
from polympi.compat.pypar.raw import (
    broadcast_array,
    broadcast_string,
    bsend_array,
    bsend_string,
    gather_array,
    gather_string,
    receive_array,
    receive_string,
    reduce_array,
    scatter_array,
    scatter_string,
    send_array,
    send_string,
)
from polympi.compat.pypar.start import VERSION as __version__  # noqa: N811
from polympi.compat.pypar.start import (
    Get_processor_name,
    Wtime,
    abort,
    balance,
    barrier,
    finalize,
    get_processor_name,
    init,
    initialized,
    max_tag,
    rank,
    size,
    time,
)
from polympi.compat.pypar.status import Status

DIFFERENCES = {
    "MAXLOC": "Pypar did not export it either: polympi.world.reduce has MAXLOC for pairs.",
    "MINLOC": "Pypar did not export it either: polympi.world.reduce has MINLOC for pairs.",
    "PROD": "Complex numbers are multiplied as such, not their real and imaginary parts.",
    "SUM": "Integers wrap around in the same way with every MPI library.",
    "__author__": "It would name the authors of Pypar, who have not written this.",
    "__date__": "It would be the date of Pypar, not of this.",
    "abort": "The job ends with exit code 1, not with 0, which would be success.",
    "alloc": "Nothing is allocated, but counted, and more generously than asked for; all of it is room for messages.",
    "any_source": "It is a number of polympi's, not -1: use the name, since -1 is an error.",
    "any_tag": "It is a number of polympi's, not -1: use the name, since -1 is an error.",
    "broadcast": (
        "Objects and texts of ranks need not have equal sizes, and other ranks than the root may give None. A str "
        "cannot be changed in place: use what is returned. Strided arrays work. root is 0 unless given."
    ),
    "broadcast_string": "A str of Python 3 cannot be written: ranks other than the root give a bytearray.",
    "bsend": "No second message with control information is sent, so it never waits.",
    "control_data_max_size": "It limits nothing: control information of any length can be sent.",
    "control_sep": "Control information is sent as a list, not as text with separators.",
    "create_control_info": "Arrays of all types but objects are arrays; Pypar pickled all but i, l, f, d, F and D.",
    "finalize": (
        "A second call does nothing, and MPI also ends with a program that does not call it. It waits until what was "
        "sent is received, and raises polympi.StateError if no rank receives it."
    ),
    "gather": (
        "A number without axes gives an array of all; strided arrays work; texts may differ in length. root is 0 "
        "unless given, as in later versions."
    ),
    "gather_string": "A str of Python 3 cannot be written: the buffer is a bytearray.",
    "init": "The import starts MPI, as before; a further call does nothing, where MPI_Init would fail.",
    "max_tag": "It is the highest tag that messages can have; Pypar showed the number of an attribute of MPI.",
    "push_for_alloc": "The total counts 512 bytes for each message in addition to its data.",
    "receive": (
        "One message comes where Pypar sent two, so tags select messages of any size and in any order, and a message "
        "that was sent without use_buffer leaves nothing behind where a buffer receives it. A str as the buffer cannot "
        "be changed in place: use what is returned. Strided arrays work; arrays of objects need vanilla=True. With the "
        "source polympi.PROC_NULL the buffer, or None, is returned at once."
    ),
    "receive_control_info": "It receives from send_control_info only: messages need no control information.",
    "receive_string": "A str of Python 3 cannot be written: the buffer is a bytearray.",
    "reduce": (
        "The buffer may be left out, as Pypar's documentation says. Strided arrays and in-place reductions work. root "
        "is 0 unless given, as in later versions."
    ),
    "scatter": (
        "Arrays of several axes are divided along the first; only the root needs x; strided arrays work. root is 0 "
        "unless given, as in later versions."
    ),
    "scatter_string": "A str of Python 3 cannot be written: the buffer is a bytearray.",
    "send": (
        "One message is sent where Pypar sent two. Arrays of all types travel as arrays, without a warning. Any "
        "integer may be a destination, also one of NumPy; polympi.PROC_NULL receives nothing."
    ),
    "send_control_info": "It is received by receive_control_info only: messages need no control information.",
}

__all__ = list(_exports.public(globals()))

TYPE_CHECKING = False
if not TYPE_CHECKING:
    __getattr__ = _missing.refusing(__name__, "Pypar", DIFFERENCES)
del TYPE_CHECKING
