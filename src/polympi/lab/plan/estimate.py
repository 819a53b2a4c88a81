"""How long a run will take, before anything is measured: correct within a factor of about two.

A launch takes its start, which ranks that share a processor make one after another, and for each case the warm-up, the
batches and the events. C takes as long for a batch as the profile asks for, or as one iteration needs; other bindings
do the same iterations, or a few times as long.
"""

import math
from collections.abc import Iterable

from polympi.lab.catalogue import BENCHMARKS, Case
from polympi.lab.plan.calibration import (
    CALIBRATION_BATCH_NS,
    CALIBRATION_BATCHES,
    TRIAL_BATCHES,
    TRIAL_SHARE,
    WARMUP_SHARE,
)
from polympi.lab.plan.profiles import Profile

# From mpiexec to the end of two C processes that measure nothing, medians of launches on two cores.
START_S = {"mpich": 0.1, "openmpi": 0.25, "impi": 0.5}
INTERPRETER_S = 0.2  # more where an interpreter starts and loads the binding, from the same launches
# How long the cases of a launch take over those of C, from a quick run on Open MPI: buffers of Python 2, objects 6,
# C# 2. None takes much longer, since it makes fewer iterations where it is slow.
SLOWDOWN = 4.0
STARTS_S = {"Java": 10.0}  # it compiles while its ranks keep the processors busy, from the same runs
# A third-party tool for 1 B to 4 MiB, mean over the tools in the same run: OSU and NetPIPE choose their own iterations.
TOOL_S = 1.5
COMPILED = ("C", "C++", "Fortran", "Go", "Rust")  # neither an interpreter to start nor loops that it slows down
CALL_NS = 1000.0  # a short message of C
OVERSUBSCRIBED_NS = 1e6  # an iteration where ranks share a processor: each waits some milliseconds at worst
BYTES_PER_NS = 10.0  # a long one
# Besides its iterations an application fills its arrays and compares its result with the exact one, from launches of C,
# mpi4py and polympi that solve the wave up to 257³ and conjugate gradients up to 2049².
CHECKED_BYTES_PER_NS = 0.05


def launch_seconds(
    family: str,
    language: str,
    cases: Iterable[Case],
    profile: Profile,
    *,
    ranks: int = 2,
    processors: int | None = None,
    trial: bool = False,
) -> float:
    """Seconds of one launch, or trial, of a binding in a language on a stack; `processors` is None for enough."""
    batches = TRIAL_BATCHES / TRIAL_SHARE if trial else profile.batches + 1  # all events last no longer than a batch
    cases = list(cases)
    shares = batches + 1 / WARMUP_SHARE
    measuring = sum(max(profile.batch_ns, iteration_ns(case, ranks, processors)) for case in cases) * shares / 1e9
    start, shared = START_S.get(family, max(START_S.values())), ranks_per_processor(ranks, processors)
    problems = sum(case.size_bytes for case in cases if case.payload == "problem")
    checking = shared * problems / ranks / CHECKED_BYTES_PER_NS / 1e9
    if language in COMPILED:
        return shared * start + checking + measuring
    return shared * (start + STARTS_S.get(language, INTERPRETER_S)) + checking + SLOWDOWN * measuring


def ranks_per_processor(ranks: int, processors: int | None) -> float:
    """How many ranks share a processor; 1 where each has its own."""
    return 1.0 if processors is None else max(1.0, ranks / processors)


def tool_seconds(family: str) -> float:
    """Seconds of one launch of a third-party tool."""
    return START_S.get(family, max(START_S.values())) + TOOL_S


def calibration_seconds(family: str, cases: Iterable[Case], *, ranks: int = 2, processors: int | None = None) -> float:
    """Seconds of the two launches of C that choose the iterations."""
    batches = (1 + 1 / WARMUP_SHARE) * CALIBRATION_BATCHES
    longest = (max(CALIBRATION_BATCH_NS, iteration_ns(case, ranks, processors)) for case in cases)
    start = ranks_per_processor(ranks, processors) * START_S.get(family, max(START_S.values()))
    return 2 * start + sum(longest) * batches / 1e9


def iteration_ns(case: Case, ranks: int = 2, processors: int | None = None) -> float:
    """About how long C takes for one iteration."""
    benchmark, shared = BENCHMARKS[case.benchmark], ranks_per_processor(ranks, processors)
    steps = math.ceil(math.log2(max(ranks, 2))) if benchmark.collective else 1
    alone = benchmark.operations(case.mode) * steps * (CALL_NS + case.size_bytes / BYTES_PER_NS)
    return alone if shared == 1 else shared * max(alone, OVERSUBSCRIBED_NS)
