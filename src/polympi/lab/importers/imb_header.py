"""What the header of an IMB output says of all its tables: datatypes and options; and what it calls a megabyte."""

import re
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import log2

from polympi.lab.importers.lines import as_count, as_number

_DATATYPE = re.compile(r"^#\s*MPI_Datatype\s*:\s*MPI_(\w+)")
_REDUCTION_TYPE = re.compile(r"^#\s*MPI_Datatype for reductions\s*:\s*MPI_(\w+)")
_CALL = re.compile(r"^#\s*Calling sequence was:")
_CALL_GOES_ON = re.compile(r"^#\s{2,}\S")
_OPERATION = re.compile(r"^#\s*MPI_Op\s*:\s*MPI_(\w+)")
_THREAD_LEVEL = re.compile(r"^#\s*MPI Thread Environment\s*:\s*MPI_THREAD_(\w+)")
# What the tool says of the machine and itself, and the text on time limits of its versions 3 and 4.
_SILENT = re.compile(
    r"^#\s*(?:(?:Date|Machine|System|Release|Version|MPI Version|MPI Thread Environment)\s*:"
    r"|M(?:in|ax)imum message length in bytes\s*:|Message lengths were user defined|New default behavior from Version 3"
    r"|the number of iterations per|dynamically when a certain run time|is expected to be exceeded"
    r"|or through the flag|\"SECS_PER_SAMPLE\")"
)
_LIST = re.compile(r"^#\s*List of Benchmarks to run")
_PAYLOADS = {"BYTE": "bytes", "CHAR": "bytes", "FLOAT": "float32", "DOUBLE": "float64", "INT": "int32"}

_DEFAULT_WINDOW = 256  # messages in flight in Uniband and Biband (-window_size), in the tool's source since 2018

_MEGA, _MEBI = 1.0, 1.048576  # bytes in a printed megabyte, in 10^6: IMB 4.1 counts 2^20, IMB 2021 counts 10^6


@dataclass
class Header:
    """Facts that hold for the whole output of one program."""

    tool: str
    part: str = ""  # the program, such as `MPI-1` or `IMB-P2P`
    payload: str = "bytes"
    reductions: str = "float32"
    operation: str = "sum"  # what reductions do
    megabyte: float = _MEGA  # 10^6 bytes in what the output calls a megabyte
    # The options of its command line, without the program's path and the benchmarks before them.
    options: list[str] = field(default_factory=list)
    _in_call: bool = False
    _call_begun: bool = False
    _in_list: bool = False
    _thread_level: str | None = None

    def value_of(self, option: str) -> str | None:
        """The value given to an option, if it was given."""
        later = dict(zip(self.options, self.options[1:], strict=False))
        return later.get(option)

    def switched_on(self, option: str) -> bool:
        """Whether an option of the values ``on`` and ``off`` was switched on."""
        return (self.value_of(option) or "off").lower() in ("on", "1", "true", "yes")

    @property
    def thread_level(self) -> str | None:
        """The thread level, where the command line or the header names one."""
        return self.value_of("-thread_level") or self._thread_level

    @property
    def window(self) -> int:
        """Messages in flight in the bandwidth benchmarks."""
        return as_count(self.value_of("-window_size") or "") or _DEFAULT_WINDOW

    def read_line(self, line: str) -> bool:
        """Take what a line before the first table says; False if it says nothing of the kind."""
        if self._in_call and self._read_call(line):
            return True
        self._in_call = bool(_CALL.match(line))
        if self._in_call:
            self._call_begun = False
        elif kind := _REDUCTION_TYPE.match(line):
            # A sum of characters is one of small integers, and no payload of ours.
            self.reductions = "char" if kind[1] == "CHAR" else _PAYLOADS.get(kind[1], kind[1].lower())
        elif kind := _DATATYPE.match(line):
            self.payload = _PAYLOADS.get(kind[1], kind[1].lower())
        elif operation := _OPERATION.match(line):
            self.operation = operation[1].lower()
        elif level := _THREAD_LEVEL.match(line):
            self._thread_level = None if level[1] == "SINGLE" else level[1].lower()
        elif _LIST.match(line):
            self._in_list = True  # it lasts until the first table
        else:
            return _SILENT.match(line) is not None or (self._in_list and line.startswith("#"))
        return True

    def _read_call(self, line: str) -> bool:
        """Read a line of the command line: the first that is not blank, and those indented under it."""
        words = line.removeprefix("#").split()
        if not self._call_begun:
            self._call_begun = bool(words)
            begin = next((i for i, word in enumerate(words) if word.startswith("-")), len(words))
            self.options += words[begin:]
        elif _CALL_GOES_ON.match(line):
            self.options += words
        else:
            return False
        return True


def megabyte_of(rows: Iterable[Mapping[str, str]]) -> float:
    """10^6-byte units in what an output calls a megabyte.

    A rate is size x messages / time, and the messages of one repetition (1, 2 or 4) are a power of two in every
    benchmark that prints a rate next to a time. The fractional part of log2(size / (time x rate)) is therefore 0 when
    a megabyte is 10^6 bytes and log2(1.048576) = 0.068 when it is 2^20; times of 1 us and more are printed to 1 % or
    better (0.014), fine enough to tell. Undecided outputs are taken as 10^6, as the current version prints.

    Args:
        rows: values of the rows under ``size``, ``max`` or ``time`` (in us) and ``rate``, as far as they have them.
    """
    votes: list[float] = []
    for row in rows:
        size, rate = as_number(row.get("size", "")), as_number(row.get("rate", ""))
        time_us = as_number(row.get("max", row.get("time", "")))
        if size and time_us and rate and size > 0 and time_us >= 1 and rate >= 1:
            votes.append(log2(size) - log2(time_us) - log2(rate))
    nearest = [min((_MEGA, _MEBI), key=lambda unit: _distance_to_integer(v - log2(unit))) for v in votes]
    return statistics.mode(nearest) if nearest else _MEGA


def _distance_to_integer(value: float) -> float:
    return abs(value - round(value))
