"""Profiles: how thoroughly to measure."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from polympi.lab.catalogue import BENCHMARKS
from polympi.lab.errors import UsageError
from polympi.lab.suggest import did_you_mean

KI, MI = 2**10, 2**20

# The fewest of which the 95 % interval of the median ends at the second smallest and the second largest value
# (1 - 2 * (1 + 9) / 2**9 = 96.1 %), so that one bad launch, of C or of a binding, is not the end of an interval.
QUICK_BLOCKS = 9

# However many ranks share a processor: 80 ranks of Python on two of them start in one minute and measure in another.
LONGEST_LAUNCH_S = 600.0

# Measured in the longer profiles, or on request by name: they answer separate questions.
LONGER_ONLY = tuple(name for name, benchmark in BENCHMARKS.items() if not benchmark.quick)
# Measured only where they are asked for by name: an iteration takes as long as thousands of messages.
APPLICATIONS = tuple(name for name, benchmark in BENCHMARKS.items() if benchmark.application)


@dataclass(frozen=True)
class Profile:
    """How many blocks, how long a batch, which sizes."""

    name: str  # as given to `--profile`
    summary: str  # one line for the help
    minimum_blocks: int  # blocks before the stop rule is asked
    maximum_blocks: int  # blocks after which a row stops whatever its precision
    batches: int  # timed batches a case and launch
    # Length that calibration aims at for a batch of C. Above 1 ms, so that the clock's resolution and cost vanish also
    # if the machine then speeds up.
    batch_ns: float
    events: int  # iterations timed one by one, for percentiles
    launch_timeout_s: float  # after which a launch is killed, if every rank has a processor
    sizes: tuple[int, ...]  # sizes of the main payload of `latency` in standard mode
    # Sizes of the main payload of the benchmarks that keep a window of messages in flight; a window of the largest
    # messages takes longer than all else, so that the quick profile ends earlier.
    window_sizes: tuple[int, ...]
    collective_sizes: tuple[int, ...]  # sizes of the main payload in collectives
    few_sizes: tuple[int, ...]  # sizes of other modes and other payloads
    # Edges of the cubes whose faces travel, in elements: powers of two and a layer of neighbours at both ends.
    face_edges: tuple[int, ...]
    halo_edges: tuple[int, ...]  # inner elements along the edges of the cubes of `halo`
    problems: int = 1  # how many of the meshes of an application
    # Benchmarks, or patterns that begin with a benchmark's whole name, to measure unless others are asked for; empty
    # for all.
    benches: tuple[str, ...] = ()
    # Bindings to compare unless others are asked for; empty for those that their manifests mark.
    bindings: tuple[str, ...] = ()
    one_stack: bool = False  # whether to measure on one stack only unless others are asked for
    # Seconds that a run should take at most, as estimated; of all bindings, those that fit in are included. None for as
    # long as it takes.
    longest_s: float | None = None
    # Whether a launch of each arm, which is not timed, records what it asks of MPI.
    demands: bool = True
    # Sizes of the cases that a pattern means, instead of all others (a study has them).
    sizes_of: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def timeout_s(self, ranks: int, processors: int) -> float:
        """Seconds after which a launch is killed: more if oversubscribed, because ranks wait for their turn."""
        longer = self.launch_timeout_s * max(1.0, ranks / processors)
        return max(self.launch_timeout_s, min(longer, LONGEST_LAUNCH_S))

    @property
    def fixed(self) -> bool:
        """Whether the number of blocks is fixed beforehand, so that no stop rule is asked."""
        return self.minimum_blocks == self.maximum_blocks


def _powers_of_two(first: int, last: int) -> tuple[int, ...]:
    return tuple(2**k for k in range(first.bit_length() - 1, last.bit_length()))


# Six arms in nine blocks are 56 launches with calibration. On MPICH two of C take 0.1 s and four of Python 0.3 s: a
# block is below 2 s as long as the cases are few.
_GLANCE = Profile(
    name="glance",
    summary="a first answer in about 20 s: 9 very short blocks of few cases, on one stack; with '--binding all' those "
    "that fit in a minute",
    minimum_blocks=9,
    maximum_blocks=9,
    batches=3,
    batch_ns=1.1e6,
    events=20,
    launch_timeout_s=30,
    sizes=(8, 64 * KI, MI),
    window_sizes=(8, 64 * KI, MI),
    collective_sizes=(8, 64 * KI),
    few_sizes=(8, 64 * KI),
    face_edges=(130,),
    halo_edges=(32,),
    benches=("latency/standard/bytes", "latency/standard/dict", "allreduce/standard/float64"),
    bindings=("mpi4py", "mpi4py-object", "polympi", "polympi-object"),
    one_stack=True,
    longest_s=60.0,
    demands=False,
)
_QUICK = Profile(
    name="quick",
    summary=f"{QUICK_BLOCKS} short blocks, the fewest in which one bad launch spoils no interval; a few minutes",
    minimum_blocks=QUICK_BLOCKS,
    maximum_blocks=QUICK_BLOCKS,
    batches=3,
    batch_ns=1.1e6,
    events=100,
    launch_timeout_s=60,
    sizes=(0, 1, 8, 64, 512, 4 * KI, 16 * KI, 64 * KI, 256 * KI, MI, 4 * MI),
    window_sizes=(1, 8, 64, 512, 4 * KI, 32 * KI, 256 * KI),
    collective_sizes=(8, KI, 64 * KI, MI),
    few_sizes=(8, 64 * KI),
    face_edges=(34, 130),
    halo_edges=(32,),
    benches=tuple(name for name in BENCHMARKS if name not in (*LONGER_ONLY, *APPLICATIONS)),
)
# Of three runs as quick ones: in simulation nine gates of ten against it end with an answer for every group, and one of
# ten against a single quick run (`benchmarks/gate_simulation.py`).
_BASELINE = replace(
    _QUICK,
    name="baseline",
    summary=f"the cases of quick in {3 * QUICK_BLOCKS} blocks; what 'polympi gate' measures against",
    minimum_blocks=3 * QUICK_BLOCKS,
    maximum_blocks=3 * QUICK_BLOCKS,
)
_STANDARD = Profile(
    name="standard",
    summary="10 to 30 blocks, until the intervals are narrow; half an hour or more",
    minimum_blocks=10,
    maximum_blocks=30,
    batches=10,
    batch_ns=2e6,
    events=1000,
    launch_timeout_s=180,
    sizes=(0, *_powers_of_two(1, 4 * MI)),
    window_sizes=_powers_of_two(1, 4 * MI),
    collective_sizes=_powers_of_two(8, MI),
    few_sizes=(8, KI, 64 * KI, MI),
    face_edges=(10, 18, 34, 66, 130),
    halo_edges=(8, 32, 128),
    problems=2,
    benches=tuple(name for name in BENCHMARKS if name not in APPLICATIONS),
)
_PUBLISH = replace(
    _STANDARD,
    name="publish",
    summary="30 blocks of every case; for figures that will be published",
    minimum_blocks=30,
    events=2000,
    launch_timeout_s=300,
)

PROFILES = {profile.name: profile for profile in (_GLANCE, _QUICK, _BASELINE, _STANDARD, _PUBLISH)}
USUAL_PROFILE = _QUICK.name


def get_profile(name: str) -> Profile:
    """The profile of this name."""
    if name not in PROFILES:
        raise UsageError(f"There is no profile '{name}': choose {', '.join(PROFILES)}.{did_you_mean(name, PROFILES)}")
    return PROFILES[name]
