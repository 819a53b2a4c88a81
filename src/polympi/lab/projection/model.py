"""The records of a projection; ``projection.json`` is a :class:`Projection`, from which everything else is written."""

from itertools import pairwise

import msgspec

FORMAT = 1  # of projection.json; raised when a reader of the old form would misread the new one
LEVELS = ("low", "median", "high")
# How a binding's cost enters a collective. BUILT: the binding makes it from its own messages, each of which costs
# what its messages cost. CALLED: it calls MPI's, whose messages are those of C, and the call costs once.
BUILT, CALLED = "built", "called"

Points = list[tuple[int, float]]  # time in ns by size in bytes, sizes ascending; straight lines between them


def time_at(points: Points, size: float) -> float:
    """A time in ns at a size: on the straight lines through the points, and on the last beyond; never negative."""
    if not points:
        return 0.0
    if len(points) == 1 or size <= points[0][0]:
        return points[0][1]
    (x0, y0), (x1, y1) = next((pair for pair in pairwise(points) if size <= pair[1][0]), (points[-2], points[-1]))
    return max(0.0, y0 + (y1 - y0) * (size - x0) / (x1 - x0))


class Network(msgspec.Struct, frozen=True, kw_only=True):
    """A network, and what MPI in C needs to use it."""

    name: str
    origin: str  # where its figures are from, in words
    latency_ns: float  # from a node to another, one way, without the time that processors spend
    bandwidth_mb_per_s: float  # of the wire of each node, each way
    ranks_per_node: int = 1  # ranks that share a node and its wire; they are placed node by node
    # `send` and `receive`: what a message between nodes takes the processor of its sender, and of its receiver, in C
    send: Points = []
    receive: Points = []
    # What a message between nodes takes its receiver more, in C, where that has just sent one itself: the system of a
    # host then works for both.
    both: Points = []
    # `node_send` and `node_receive`: as send and receive, within a node, where a message takes nothing else; empty: as
    # measured
    node_send: Points = []
    node_receive: Points = []
    described_by: list[str] = []  # names of the patterns of C that it was derived from, which it meets by construction


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A cost ``per call + per byte * m``, in ns; neither is negative."""

    per_call_ns: float = 0.0
    per_byte_ns: float = 0.0
    # What was measured at each size, and further on the line; then they are the cost, and the line is a summary. A
    # library sends large messages otherwise than small ones, and no line fits both.
    points: Points = []

    def at(self, size: float) -> float:
        """The cost at a size."""
        return time_at(self.points, size) if self.points else self.per_call_ns + self.per_byte_ns * size

    def curve(self) -> Points:
        """The cost as points, through which straight lines are it at every size."""
        return self.points or [(size, self.at(size)) for size in (0, 2**20)]


class Span(msgspec.Struct, frozen=True, kw_only=True):
    """A cost with its measured interval."""

    low: Line
    median: Line
    high: Line

    def at(self, level: str) -> Line:
        """The line of a level."""
        line: Line = getattr(self, level)
        return line


class ArmCosts(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured of an arm."""

    binding: str
    payload: str
    message: Span  # what it adds to a message, at both ends together
    # What it adds to a call of a collective, by the name of the benchmark; those that were measured.
    collectives: dict[str, Span] = {}
    # Of collectives in which it calls MPI's several times, how often: before the data, their sizes.
    calls: dict[str, int] = {}
    announced_from: int = 0  # bytes from which its data follow a message that announces them; 0: none do
    rounds: dict[str, int] = {}  # of collectives in which it makes rounds of small messages before such data, how many
    # Of collectives whose data follow their announcement from rank to rank, without such rounds: up to how many bytes.
    follows: dict[str, int] = {}
    doubles: bool = False  # its allreduce is recursive doubling, whatever the library's is
    blocks: int = 0
    shown: bool = True  # the interval of the cost of a call is above zero, so that there is a cost to project
    saves: bool = False  # the interval is below zero: the arm is faster than C where it was measured

    def announces(self, size_bytes: int) -> bool:
        """Whether data of this size follow a message that announces them."""
        return 0 < self.announced_from <= size_bytes

    def announced_along(self, collective: str, size_bytes: int, nodes: int) -> int:
        """By how many messages, one after the other, data that follow them are announced on a tree of the nodes."""
        follows = self.announces(size_bytes) and size_bytes <= self.follows.get(collective, 0)
        return (nodes - 1).bit_length() if follows else 0


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One arm in one case with one number of ranks."""

    stack: str
    binding: str
    ranks: int
    pattern: str
    size_bytes: int
    style: str  # of a collective, one of `BUILT` and `CALLED`
    c_ns: float  # time of C
    # `time_ns`, `low_ns`, `high_ns`: time of the arm with the median of its cost, and with the ends of its interval
    time_ns: float
    low_ns: float
    high_ns: float
    model_ns: float | None = None  # time of the arm by the analytic model; None where that has no schedule for the case
    simulated: bool = True  # whether SMPI simulated it; else the times are those of the analytic model

    @property
    def added_ns(self) -> float:
        """What the binding adds to C."""
        return self.time_ns - self.c_ns

    @property
    def ratio(self) -> float:
        """Time of the binding over that of C."""
        return self.time_ns / self.c_ns


class Projected(msgspec.Struct, frozen=True, kw_only=True):
    """A stack of the run: what went into its projection."""

    stack: str
    family: str
    selector: str
    network: Network
    arms: list[ArmCosts]
    by_network: bool = False  # whether costs were measured over a network, and not in memory that ranks share
    # `commands`, `plans`, `platforms`: by number of ranks, the simulator's command line and the files that it reads
    commands: dict[int, list[str]] = {}
    plans: dict[int, str] = {}
    platforms: dict[int, str] = {}
    seconds: dict[int, float] = {}  # by number of ranks, how long that took


class Projection(msgspec.Struct, frozen=True, kw_only=True):
    """A projection, with everything needed to repeat it."""

    format: int = FORMAT
    polympi: str
    run: str
    created: str  # when, ISO 8601
    simulator: str
    command: list[str] = []
    ranks: list[int]  # the numbers of ranks
    stacks: list[Projected]
    rows: list[Row]
    program: str = ""  # the source of the program whose ranks are simulated
