"""NetPIPE 3.7 (Ames Laboratory), as Debian has it.

It reports the fastest of three trials; goes through the sizes in ascending order and without warm-up; and sends from
the buffer it receives into, so that it sends what has just come into the cache. ``-O 0,DISTANCE`` gives it two buffers
that do not touch.
"""

from collections.abc import Sequence

from polympi.lab.importers.netpipe import read_netpipe
from polympi.lab.tools.tool import Tool, positive, powers_of_two

_ALIGNMENT = 16 * 1024  # of its buffer, in bytes
_FILE = "np.out"

# By default it aims at a quarter of a second a size and trial, which is half a minute for 1 B to 1 MiB. So many round
# trips in a trial take 0.5 ms or more on one machine, and some 0.1 s of the largest messages: its clock, of
# microseconds, is good to 0.2 % of them.
_SMALL_BYTES = 16 * 1024
_TRIPS_OF_SMALL, _TRIPS_OF_LARGE = 2000, 100


def _calls(sizes: Sequence[int]) -> list[list[str]]:
    """One call for small messages and one for large ones, since the number of round trips holds for all of a call."""
    small, large = [s for s in sizes if s <= _SMALL_BYTES], [s for s in sizes if s > _SMALL_BYTES]
    return [_call(part, trips) for part, trips in ((small, _TRIPS_OF_SMALL), (large, _TRIPS_OF_LARGE)) if part]


def _call(sizes: Sequence[int], trips: int) -> list[str]:
    neighbours = 0 if len(powers_of_two(sizes)) == len(sizes) else 3  # bytes more and less than 2^k
    return ["-p", str(neighbours), "-n", str(trips), *two_buffers(sizes)]


def two_buffers(sizes: Sequence[int]) -> list[str]:
    """Its arguments for a range of sizes, two buffers that do not touch, and its file."""
    distance = -(-max(sizes) // _ALIGNMENT) * _ALIGNMENT
    # It ends below its upper limit, not at it.
    return ["-l", str(min(sizes)), "-u", str(max(sizes) + 1), "-O", f"0,{distance}", "-o", _FILE]


NETPIPE = Tool(
    name="NetPIPE",
    programs=("NPmpi", "NPopenmpi", "NPmpich2"),
    benchmark="latency",
    payload="bytes",
    differs="half the round trip, the fastest of three trials",
    get="apt install netpipe-openmpi or netpipe-mpich2, which run on the machine's own MPI",
    usable=positive,
    calls=_calls,
    read=read_netpipe,
    written=_FILE,
)
