"""List all MPI procedures and what their arguments are, for the audit's recorder.

    python packaging/mpi_procedures.py > src/polympi/lab/audit/recorder/procedures.h

Needs the package pympistandard, which has the standard's own description of its procedures. Run it after a new
edition of the standard. ``procedures.c`` next to the output says what each letter means.
"""

from __future__ import annotations

import re
import sys
from importlib import import_module
from typing import Any

WITHOUT = ("MPI_Pcontrol",)  # it has a variable number of arguments
# What an argument is by its kind in the standard, if it is passed by value; then if it is a pointer.
VALUES = {
    "DATATYPE": "d",
    "TAG": "t",
    "COMMUNICATOR": "c",
    "REQUEST": "v",
    "WINDOW": "w",
    "FILE": "h",
    "GROUP": "g",
}
POINTERS = {"REQUEST": "q", "COMMUNICATOR": "C", "STATUS": "u", "MESSAGE": "m", "WINDOW": "W", "FILE": "H"}
KINDS = {
    "SEND": r"Send|[BSR]send",
    "RECV": r"Recv|Mrecv",
    "SENDRECV": r"Sendrecv(_replace)?",
    "ISEND": r"I[bsr]?send",
    "IRECV": r"Im?recv",
    "ISENDRECV": r"Isendrecv(_replace)?",
    "SEND_INIT": r"([BSR]s?|P)?[Ss]end_init",
    "RECV_INIT": r"(P?r|R)ecv_init",
    "START": "Start",
    "STARTALL": "Startall",
    "WAIT": "Wait",
    "WAITALL": "Waitall",
    "WAITANY": "Waitany",
    "WAITSOME": "Waitsome",
    "TEST": "Test",
    "TESTALL": "Testall",
    "TESTANY": "Testany",
    "TESTSOME": "Testsome",
    "GET_STATUS": r"Request_get_status(_(all|any|some))?",
    "REQUEST_FREE": "Request_free",
    "PROBE": "M?[Pp]robe",
    "IPROBE": "Im?probe",
    "RMA": r"R(put|get|accumulate|get_accumulate)|Fetch_and_op|Compare_and_swap|Put|Get|Accumulate|Get_accumulate",
    "WINDOW": r"Win_(create|allocate|allocate_shared|create_dynamic)",
    "WINDOW_SYNC": r"Win_(fence|free)",
    "WINDOW_PEER": r"Win_(lock|unlock|flush|flush_local)",
    "FILE_OPEN": "File_open",
    "FILE_SYNC": r"File_((i?(read|write)_(at_)?all(_begin)?)|(read|write)_ordered(_begin)?|close|set_size|preallocate"
    r"|set_view|sync)",
    "FILE_ACCESS": r"File_i?(read|write)(_at|_shared)?",
    "COMM_DUP": r"Comm_dup(_with_info)?",
    "COMM_IDUP": r"Comm_idup(_with_info)?",
    "COMM_NEW": r"Comm_(create|split|split_type|spawn|spawn_multiple|accept|connect)|(Cart|Graph|Dist_graph)_create"
    r"(_adjacent)?|Cart_sub|Intercomm_merge",
    "COMM_GROUP": r"Comm_create_group|Comm_create_from_group|Intercomm_create(_from_groups)?|Comm_join",
    "COMM_FREE": r"Comm_(free|disconnect)",
    "COMM_NAME": "Comm_set_name",
    "TYPE_FREE": "Type_free",
    "SESSION_BEGIN": "Session_init",
    "SESSION_END": "Session_finalize",
    "INIT": r"Init(_thread)?",
    "FINALIZE": "Finalize",
    "ABORT": "Abort",
    "COLLECTIVE": r"Barrier|Bcast|(Gather|Scatter|Allgather|Alltoall)[vw]?|(Reduce|Allreduce|Scan|Exscan)"
    r"|Reduce_scatter(_block)?|Neighbor_(allgatherv?|alltoall[vw]?)",
    "ICOLLECTIVE": r"I(barrier|bcast|(gather|scatter|allgather|alltoall)[vw]?|reduce|allreduce|scan|exscan"
    r"|reduce_scatter(_block)?|neighbor_(allgatherv?|alltoall[vw]?))",
    "COLLECTIVE_INIT": r"(Barrier|Bcast|(Gather|Scatter|Allgather|Alltoall)[vw]?|Reduce|Allreduce|Scan|Exscan"
    r"|Reduce_scatter(_block)?|Neighbor_(allgatherv?|alltoall[vw]?))_init",
}


def kind(name: str) -> str:
    """How the recorder treats a procedure."""
    short = name.removeprefix("MPI_").removesuffix("_c")
    return next((kind for kind, pattern in KINDS.items() if re.fullmatch(pattern, short)), "OTHER")


def letter(parameter: Any) -> str:
    """What an argument is, as a letter of ``procedures.c``."""
    declared, what, name = str(parameter), parameter.kind.name.upper(), parameter.name
    word = bool(re.search(r"\bMPI_(Count|Aint|Offset)\b", declared))
    if what == "BUFFER":
        return "b" if "const" in declared else "B"
    if "[" in declared:
        return array(what, name, word=word)
    if "*" in declared:
        return pointer(what, name)
    return value(what, name, word=word, integer=declared.split(maxsplit=1)[0] == "int")


def counts(what: str, name: str) -> bool:
    """Whether an argument is how many elements a buffer has, or several of it."""
    return "NUM_ELEM" in what and ("XFER" in what or "POLYDTYPE" in what) and name.endswith(("count", "counts"))


def array(what: str, name: str, *, word: bool) -> str:
    """The letter of an array."""
    if counts(what, name):
        return "N" if word else "A"
    return {"REQUEST": "R", "DATATYPE": "D", "STATUS": "U", "INDEX": "I"}.get(what, "p")


def pointer(what: str, name: str) -> str:
    """The letter of a pointer to one object."""
    by_name = {("LOGICAL", "flag"): "f", ("INDEX", "index"): "k", ("INDEX", "indx"): "k"}
    if name == "outcount":
        return "K"
    return by_name.get((what, name)) or POINTERS.get(what, "p")


def value(what: str, name: str, *, word: bool, integer: bool) -> str:
    """The letter of what is passed by value."""
    if counts(what, name):
        return "l" if word else "n"
    if what.startswith("RANK"):
        return {"dest": "e", "source": "s", "root": "r", "target_rank": "e", "rank": "e"}.get(name, "i")
    if name in ("count", "incount") and what.startswith("ARRAY_LENGTH"):
        return "y"
    return VALUES.get(what) or ("L" if word else "i" if integer else "o")


def line(symbol: Any, *, fortran: bool = False) -> str:
    """The entry of a procedure: F where Fortran has it, too, under the name in small letters."""
    signature = "".join(map(letter, symbol.parameters))
    names = f"F({symbol.name}, {symbol.name.lower()}" if fortran else f"P({symbol.name}"
    return f'{names}, {kind(symbol.name)}, {len(symbol.parameters)}, "{signature}")'


def main() -> None:
    """The command line."""
    pympistandard: Any = import_module("pympistandard")  # needed here alone
    pympistandard.use_api_version()
    entries = {}
    for procedure in pympistandard.PROCEDURES.values():
        symbol = procedure.express.iso_c
        if symbol is None or not symbol.name.startswith("MPI_") or symbol.name in WITHOUT:
            continue
        if symbol.return_kind.name != "ERROR_CODE":
            continue
        entries[symbol.name] = line(symbol, fortran=procedure.express.f90 is not None)
        if procedure.has_embiggenment():
            large = procedure.express.embiggen.iso_c
            entries[large.name] = line(large)
    sys.stdout.write("/* Made by packaging/mpi_procedures.py from the description in the package pympistandard. */\n")
    sys.stdout.write("/* clang-format off */\n#ifndef F\n#define F(NAME, FORTRAN, KIND, COUNT, SIGNATURE) ")
    sys.stdout.write("P(NAME, KIND, COUNT, SIGNATURE)\n#endif\n")
    for name in sorted(entries):
        sys.stdout.write(f"{entries[name]}\n")
    sys.stdout.write("#undef F\n#undef P\n")


if __name__ == "__main__":
    main()
