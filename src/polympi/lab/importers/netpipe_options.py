"""What the benchmark of NetPIPE measures with its options. Its data files do not name them, so that the user has to."""

from __future__ import annotations

import getopt
import shlex
from dataclasses import dataclass

from polympi.lab.errors import UsageError
from polympi.lab.importers.rows import UNSTATED

TOOL = "NetPIPE"

# After the manual of NetPIPE 3.7 and the source of 3.7 and 5. A colon: a value follows.
_SHORT = "aBfgiIrsSXz2b:h:l:n:o:O:p:u:"
_LONG = (
    *("async", "asynchronous", "bidir", "bidirectional", "burst", "cache", "inval", "nocache", "stream", "sync"),
    *("syncSend", "anysource", "quick", "quicker", "quickest", "fac2", "factorsof2", "printhostnames"),
    *("start=", "end=", "o=", "outfile=", "pert=", "perturbation=", "soffset=", "send_offset=", "roffset="),
    *("recv_offset=", "repeats=", "trials="),
)
_MODES = {
    "-S": "synchronous",
    "--sync": "synchronous",
    "--syncSend": "synchronous",
    "-a": "receives posted ahead",
    "--async": "receives posted ahead",
    "--asynchronous": "receives posted ahead",
    "-B": "burst",
    "--burst": "burst",
    "-I": "out of cache",
    "--inval": "out of cache",
    "--nocache": "out of cache",
    "-s": "streaming",
    "--stream": "streaming",
    "-2": "bidirectional",
    "--bidir": "bidirectional",
    "--bidirectional": "bidirectional",
    "-z": "any source",
    "--anysource": "any source",
    "-f": "one-sided with fence",
    "-g": "one-sided with MPI_Get",
}
_OURS = {"standard", "synchronous"}  # modes of our latency; the others measure something else


@dataclass(frozen=True)
class NetPipeOptions:
    """How NetPIPE was called, as far as it matters for what its figures mean.

    Attributes:
        benchmark: ``latency`` if it was the ping-pong that ours is, else the tool's name.
        mode: our mode, or the tool's options in words; ``unstated`` if nobody said.
        text: the options as they were given; None if nobody said.
    """

    benchmark: str = TOOL
    mode: str = UNSTATED
    text: str | None = None


def parse_netpipe_options(text: str | None) -> NetPipeOptions:
    """Options of NetPIPE 3 or 5 as one writes them on its command line, such as ``-S -I``.

    Args:
        text: the options; empty for a run without any, None if they are not known.

    Raises:
        UsageError: they are not options of NetPIPE.
    """
    if text is None:
        return NetPipeOptions()
    try:
        given, rest = getopt.gnu_getopt(shlex.split(text), _SHORT, list(_LONG))
    except (getopt.GetoptError, ValueError):
        given, rest = [], [text]
    if rest:
        raise UsageError(
            f"'{text}' are not options of NetPIPE: write them as on its command line, such as "
            "--netpipe-options '-S -I'."
        )
    modes = list(dict.fromkeys(_MODES[name] for name, _ in given if name in _MODES)) or ["standard"]
    return NetPipeOptions("latency" if _OURS.issuperset(modes) else TOOL, ", ".join(modes), text.strip() or None)
