"""The records of a run, as they are stored: what was asked, what each launch did, how it ended."""

from typing import Any

import msgspec
import polars as pl

from polympi.lab import arms

REFERENCE, AGAIN = arms.REFERENCE, arms.AGAIN  # arms has them without Polars, which the command line would wait for

# What happens to a problem where a run has several numbers of ranks: it is the same for all, or as large for each rank.
SCALINGS = STRONG, WEAK = ("strong", "weak")

FORMAT = 2  # version of the result directory; raised when a reader of the old one would misread the new one

NOT_STARTED = "not started"  # the outcome of a launch of which the launcher did not reach a host

SAMPLE_SCHEMA: dict[str, type[pl.DataType] | pl.DataType] = {
    "stack": pl.String,
    "block": pl.UInt16,
    "launch": pl.UInt32,
    "binding": pl.String,
    "benchmark": pl.String,
    "mode": pl.String,
    "payload": pl.String,
    "size_bytes": pl.UInt64,
    "ranks": pl.UInt16,
    "kind": pl.String,
    "iterations": pl.UInt32,
    "time_ns": pl.Int64,
}


# What the levels of a run can be levels of; a stack is a factor, too, and its levels are the stacks of the run.
FACTORS = SETTING, PLACEMENT, STACK = ("setting", "placement", "stack")


class Level(msgspec.Struct, frozen=True, kw_only=True):
    """A level of a factor: one of the ways of launching everything that a run compares with each other."""

    factor: str = ""  # what it is a level of, `setting` or `placement`; empty for the base without a placement
    name: str = ""  # what users call it; empty for the base without a placement
    environment: dict[str, str] = {}  # variables that its programs have on top of those of the stack
    arguments: list[str] = []  # of the launcher
    # The placement of its ranks, also of a setting; empty to leave them where the launcher puts them.
    placement: str = ""


class Refusal(msgspec.Struct, frozen=True):
    """A case that a program did not time: skipped, or found invalid, and why."""

    case: str
    reason: str


class Finding(msgspec.Struct, frozen=True):
    """What a machine does to figures, and what to try."""

    level: str  # `warning` (figures are distorted) or `note` (good to know)
    title: str
    text: str
    advice: str


class RankPlace(msgspec.Struct, frozen=True, kw_only=True):
    """Where a rank ran."""

    host: str  # its processor name
    cpus: str  # the CPUs that it might use, as the kernel lists them (`0-3,8`); `-` if unknown


class LaunchRecord(msgspec.Struct, kw_only=True):
    """One mpiexec: what was started and what became of it."""

    launch: int  # number of the launch in the run, from 0
    stack: str
    block: int | None  # block, from 0; None for a calibration launch
    position: int  # place in the block, from 0
    binding: str
    ranks: int
    # `ok`, `crashed`, `timed out`, `unreadable` (what it wrote is not of the protocol), `not started` (the launcher did
    # not reach a host, so that no program began) or `interrupted`. Two more are never written, only found when a
    # directory is read: `lost` (its samples are gone or damaged) and `repeated` (a later launch took its place).
    outcome: str
    detail: str = ""  # one sentence about an outcome that is not `ok`
    exit_code: int | None = None
    command: list[str] = []
    started: str = ""  # when, ISO 8601 with the time zone
    wall_ns: int = 0  # from the start of mpiexec to its end
    # From the start of the launcher until the last rank had left the first barrier; None if unknown.
    ready_ns: int | None = None
    ready_error_ns: int = 0  # its largest error, since each host has its own clock; 0 on one machine
    unready: str = ""  # why `ready_ns` is None in a launch that ended well: the end of a sentence
    import_ns: int = 0  # loading the binding; 0 for compiled programs
    init_ns: int = 0  # `MPI_Init_thread`
    pss_bytes: int = 0  # proportional set size after the first barrier, largest over ranks; 0 if unknown
    rss_bytes: int = 0  # resident set size, likewise
    pss_mean_bytes: int = 0  # proportional set size, the mean over ranks; 0 if unknown
    threads: str = ""  # thread level that the program got
    clock_resolution_ns: int = 0  # resolution of the program's clock
    clock_cost_ns: float = 0.0  # cost of one reading
    start_cost_ns: int = 0  # what the time of a call from a common start contains in addition to the call
    # Largest error of the clocks of other hosts, as compared with that of rank 0; 0 on one machine.
    clock_error_ns: int = 0
    huge_bytes: int = 0  # bytes of message buffers that lay on huge pages, over all ranks
    buffer_bytes: int = 0  # bytes of message buffers, over all ranks
    repeated: int = 0  # calls of collectives that were repeated, because a rank was late for the common start
    library: str = ""  # first line of `MPI_Get_library_version`
    host: str = ""  # processor name of rank 0
    load_average: float = 0.0  # one-minute load average before the launch
    skipped: list[Refusal] = []  # cases the program could not run
    invalid: list[Refusal] = []  # cases whose validation failed; they have no samples
    stderr_tail: str = ""  # last lines of standard error (and output), for launches that failed
    # Which try at its block, from 0: a block that was interrupted is repeated as a whole when the run is resumed, and
    # only the launches of its last try count.
    attempt: int = 0
    places: list[RankPlace] = []  # where each rank ran, in their order; empty if the program does not tell


class ToolFigure(msgspec.Struct, frozen=True, kw_only=True):
    """What a third-party tool measured at one size: the time of an operation, as the tool computes it."""

    size_bytes: int
    time_ns: float


class ToolLaunch(msgspec.Struct, kw_only=True):
    """One launch of a third-party tool in a block (a line of ``tools.jsonl``); fields as in :class:`LaunchRecord`."""

    stack: str
    block: int
    position: int
    tool: str  # its name
    benchmark: str  # of our catalogue, in standard mode
    payload: str  # of our cases
    ranks: int
    outcome: str
    detail: str = ""
    exit_code: int | None = None
    commands: list[list[str]] = []  # what was started, one after the other
    started: str = ""
    wall_ns: int = 0  # of all of them together
    load_average: float = 0.0
    stderr_tail: str = ""
    attempt: int = 0
    figures: list[ToolFigure] = []  # by size; none unless the outcome is `ok`


class PlannedCase(msgspec.Struct, frozen=True, kw_only=True):
    """A case of the plan with the counts that every binding uses for it, but for :attr:`StackRun.slow`."""

    benchmark: str
    mode: str
    payload: str
    size_bytes: int
    warmup: int
    batches: int
    iterations: int
    events: int


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """What a slow binding does of a case."""

    warmup: int
    iterations: int
    events: int


class CodeLines(msgspec.Struct, frozen=True, kw_only=True):
    """Lines of code of a binding: neither blank nor comment alone."""

    hello: int  # of the program in which each rank says which it is; 0 if there is none
    timed: int  # of the files that hold the timed part; 0 if the manifest does not name them
    # The combinations of benchmark, mode and payload that the timed part covers, without applications.
    combinations: int
    applications: dict[str, int] = {}  # of the solver of each application, without what only the program alone takes
    communication: dict[str, int] = {}  # of what of it communicates, where the manifest names the functions


class StackRun(msgspec.Struct, kw_only=True):
    """What was planned on one stack, with one number of ranks."""

    # The stack, as samples and launches name it. Where a run has several numbers of ranks, each of them is measured as
    # if it were its own stack, and the name says it: `mpich, 4 ranks`.
    stack: str
    library: str = ""
    bindings: list[str] = []  # the arms, reference first, A/A arm second
    languages: dict[str, str] = {}
    not_covered: dict[str, list[Refusal]] = {}  # for each binding, the planned cases that it does not cover and why
    left_out: dict[str, str] = {}  # bindings, tools and benchmarks that are not measured on this stack, and why
    cases: list[PlannedCase] = []  # the cases, with the counts that calibration chose
    # For each binding that is slow, the cases in which it makes fewer iterations, by their numbers in `cases`.
    slow: dict[str, dict[int, Counts]] = {}
    # For each arm the name of its build, which changes with its sources, its compiler and its library.
    builds: dict[str, str] = {}
    # For each arm that is built from sources which the user gave, these by name, with their versions.
    sources: dict[str, dict[str, str]] = {}
    lines: dict[str, CodeLines] = {}  # the lines of code of each arm whose manifest names the files
    tools: list[str] = []  # the third-party tools that run
    installed: str = ""  # the name of the installed stack, where `stack` says more than that; else empty
    ranks: int = 0  # of its launches, where the run has several numbers of them; else 0
    # In weak scaling, by benchmark the sizes of its cases here, each with that of one rank.
    grown_from: dict[str, dict[int, int]] = {}
    # The name of the level that it was measured at, where the run has several; empty for a base without one. Each level
    # is also measured as if it were a separate stack: `mpich, 4 ranks, no huge pages`.
    level: str = ""

    @property
    def installation(self) -> str:
        """The name of the installed stack."""
        return self.installed or self.stack


class Launching(msgspec.Struct, frozen=True, kw_only=True):
    """How the ranks of a run are started, where that was asked for or found out."""

    launcher: list[str] = []  # the words of what was asked for instead of the launcher of each stack; none for that
    arguments: list[str] = []  # its further arguments
    variables: dict[str, str] = {}  # of the ranks
    by_network: bool = False  # whether ranks of one host also send over the network
    carried: bool = False  # whether plan and samples go with the launch, for hosts that do not see the result directory
    job: str = ""  # the job of Slurm that the run is in; empty for none
    hosts: list[str] = []  # those of the job, if any is another than that of polympi; else none
    found: dict[str, list[str]] = {}  # by stack, the words of the launcher that replaces the stack's launcher
    elsewhere: bool = False  # whether ranks were found on other hosts than that of polympi


USUAL_LAUNCHING = Launching()  # each stack by its own launcher, on this machine or on the hosts of a host file


class RunRecord(msgspec.Struct, kw_only=True):
    """What was asked of a run (``run.json``)."""

    format: int = FORMAT
    polympi: str
    created: str
    command: list[str] = []
    profile: str
    seed: int
    ranks: int  # of a launch; the fewest, if there are several numbers of them
    hostfile: str | None = None
    time_limit_s: float | None = None
    launch_timeout_s: float | None = None  # after which a launch is ended, as asked for; None for that of the profile
    window: int
    pages: str = "huge"
    minimum_blocks: int
    maximum_blocks: int
    stacks: list[StackRun] = []
    benches: list[str] = []  # benchmarks or patterns of cases, as asked for; empty for the profile's
    sizes: list[int] | None = None  # sizes in bytes, as asked for; None for the profile's
    bindings_from: list[str] = []  # folders of further bindings
    chosen: list[str] = []  # the bindings that were asked for by name, in that order; a report puts them in front
    usual: list[str] = []  # the bindings that run when none is asked for; they come next
    resumed: list[str] = []  # when the run was continued, each time
    several_ranks: list[int] = []  # the numbers of ranks, ascending, if there are several; else empty
    scaling: str = STRONG  # what happens to a problem then, one of `SCALINGS`
    study: str = ""  # the study whose cases and bindings are measured; empty for none
    levels: list[Level] = []  # the levels that are compared, the base first; empty if there is one only
    launching: Launching = USUAL_LAUNCHING  # how ranks are started, if not as each stack does

    @property
    def every_ranks(self) -> list[int]:
        """The numbers of ranks of the run, ascending; usually one."""
        return self.several_ranks or [self.ranks]


class RowStop(msgspec.Struct, frozen=True, kw_only=True):
    """Which rule ended the sampling of one row, and in which block."""

    stack: str
    binding: str
    benchmark: str
    mode: str
    payload: str
    size_bytes: int
    stopped_by: str
    blocks: int


class Outcome(msgspec.Struct, kw_only=True):
    """How a run ended (``outcome.json``)."""

    ended: str  # `complete`, `interrupted`, `time limit` or `host lost`; `failed` if something else ended it
    finished: str
    detail: str = ""  # of a host that was lost, what became of it; else empty
    # On a test cluster, what each host has sent over its wire, since the run was begun or continued.
    sent_bytes: dict[str, int] = {}
    blocks: dict[str, int] = {}
    stops: list[RowStop] = []
    withdrawn: dict[str, str] = {}


Metadata = dict[str, Any]  # its sections depend on the machine


class StackMetadata(msgspec.Struct, kw_only=True, rename={"compiles_as": "compiles as"}):
    """A stack as it was when a run began: library, launcher, compiler wrapper, Python and its packages."""

    family: str = ""
    origin: str = ""
    library: str = ""
    libmpi: str = ""
    mpiexec: str = ""
    mpicc: str = ""
    compiles_as: str = ""  # the command that the compiler wrapper calls
    compiler: str = ""
    python: str = ""
    packages: list[str] = []
    variables: dict[str, str] = {}  # of the environment, those that MPI libraries look at
    launcher: list[str] = []  # what starts ranks instead of `mpiexec`, with all further arguments


class Environment(msgspec.Struct, kw_only=True):
    """The machine as a run found it (``environment.json``, with the metadata next to the other two)."""

    metadata: Metadata = {}
    stacks: dict[str, StackMetadata] = {}
    findings: list[Finding] = []


def all_here(run: RunRecord, environment: Environment) -> bool:
    """Whether all ranks of a run were on the machine that it recorded: on no other host, or on a test cluster of it."""
    return (run.hostfile is None and not run.launching.elsewhere) or "cluster" in environment.metadata
