"""Which cases a run measures."""

import fnmatch
from collections.abc import Sequence

from polympi.lab.catalogue import (
    BENCHMARKS,
    FIXED_SIZES,
    GROUP_BYTES,
    LARGEST_FACE_EDGE,
    SMALLEST_EDGE,
    Benchmark,
    Case,
    face_bytes,
    halo_bytes,
    problem_bytes,
)
from polympi.lab.errors import UsageError
from polympi.lab.plan.patterns import fits
from polympi.lab.plan.profiles import Profile
from polympi.lab.suggest import did_you_mean


def select_cases(profile: Profile, benches: Sequence[str], sizes: Sequence[int] | None, ranks: int) -> list[Case]:
    """The cases of a run, for this many ranks a launch; the most, if there are several numbers of them.

    The main payload of a benchmark in standard mode gets the profile's full list of sizes, other modes and other
    payloads the short one; their cross product is measured only where a pattern asks for it. Faces have sizes of their
    own, the same in all modes, and so have a halo, applications and benchmarks for which the catalogue names sizes. So
    have the cases of a study. Without names or patterns (``latency/ready*/bytes``) those of the profile are taken, or
    all.
    """
    chosen: set[Case] = set()
    usual = [
        bench for bench in profile.benches or BENCHMARKS if ranks >= BENCHMARKS[bench.partition("/")[0]].minimum_ranks
    ]
    for bench in benches or usual:
        matched = _matching(bench, ranks)
        cases = {
            case for benchmark, mode, payload in matched for case in _cases(profile, benchmark, mode, payload, sizes)
        }
        asked_for = bench in benches  # of all there are, one may have none of the sizes
        if asked_for and not cases and not all(benchmark.launch_figure for benchmark, _, _ in matched):
            raise UsageError(
                f"None of the sizes asked for is possible in '{bench}' (float64 and arrays take 8 B each, int32 4 B, "
                f"a face of n x n doubles 8 n^2 B, with n up to {LARGEST_FACE_EDGE}, a halo 48 n^2 B, with "
                f"n up to {LARGEST_FACE_EDGE - 2}, a datatype multiples of {GROUP_BYTES} B, an application a mesh: "
                "--sizes 129^3)."
            )
        chosen |= cases
    order = list(BENCHMARKS)
    return sorted(chosen, key=lambda c: (order.index(c.benchmark), c))


def possible_on(cases: Sequence[Case], ranks: int) -> list[Case]:
    """The cases that are meaningful with this many ranks."""
    return [case for case in cases if ranks >= BENCHMARKS[case.benchmark].minimum_ranks and _is_divisible(case, ranks)]


def _is_divisible(case: Case, ranks: int) -> bool:
    """Whether each rank gets enough of an application's mesh, however the ranks are placed on it."""
    benchmark = BENCHMARKS[case.benchmark]
    return not benchmark.application or benchmark.edge(case.size_bytes) >= SMALLEST_EDGE * ranks


def _matching(bench: str, ranks: int) -> list[tuple[Benchmark, str, str]]:
    name, _, rest = bench.partition("/")
    benchmarks = [b for b in BENCHMARKS.values() if fnmatch.fnmatchcase(b.name, name)]
    combinations = [
        (b, mode, payload)
        for b in benchmarks
        for mode, payload in b.combinations
        if fits(bench, b.name, mode, payload) and (rest or _usual(b, mode, payload))
    ]
    if not combinations:
        raise UsageError(_unknown(bench, benchmarks))
    for benchmark in benchmarks:
        if ranks < benchmark.minimum_ranks:
            raise UsageError(
                f"'{benchmark.name}' needs at least {benchmark.minimum_ranks} ranks, and --ranks is {ranks}."
            )
    return combinations


def _unknown(bench: str, benchmarks: Sequence[Benchmark]) -> str:
    name, *parts = bench.split("/")
    if not benchmarks:
        return (
            f"There is no benchmark '{bench}': 'polympi list' shows them ({', '.join(BENCHMARKS)})."
            f"{did_you_mean(name, BENCHMARKS)}"
        )
    modes = list(dict.fromkeys(mode for b in benchmarks for mode in b.modes))
    payloads = list(dict.fromkeys(payload for b in benchmarks for payload in b.payloads))
    hint = next((did_you_mean(part, [*modes, *payloads]) for part in parts if part not in (*modes, *payloads)), "")
    return (
        f"There is no benchmark '{bench}': '{name}' has the modes {', '.join(modes)} "
        f"and the payloads {', '.join(payloads)}.{hint}"
    )


def _usual(benchmark: Benchmark, mode: str, payload: str) -> bool:
    """Other modes with the main payload, other payloads with the main mode, not their cross product."""
    return mode == benchmark.modes[0] or payload == benchmark.payloads[0]


def _cases(profile: Profile, benchmark: Benchmark, mode: str, payload: str, sizes: Sequence[int] | None) -> list[Case]:
    if benchmark.launch_figure:
        return []
    if payload in FIXED_SIZES:
        return [Case(benchmark.name, mode, payload, FIXED_SIZES[payload])]
    if sizes is None:
        own_sizes = (of for pattern, of in profile.sizes_of.items() if fits(pattern, benchmark.name, mode, payload))
        sizes = next(own_sizes, benchmark.sizes.get(payload))
    if sizes is None:
        main = mode == benchmark.modes[0] and payload == benchmark.payloads[0]
        own = benchmark.shape == "face" or benchmark.application
        sizes = _full_sizes(profile, benchmark) if main or own else profile.few_sizes
    return [Case(benchmark.name, mode, payload, size) for size in sizes if benchmark.allows(payload, size)]


def _full_sizes(profile: Profile, benchmark: Benchmark) -> Sequence[int]:
    if benchmark.shape == "face":
        return [face_bytes(edge) for edge in profile.face_edges]
    if benchmark.shape == "halo":
        return [halo_bytes(edge) for edge in profile.halo_edges]
    if benchmark.application:
        return [problem_bytes(edge, benchmark.dimensions) for edge in benchmark.edges[: profile.problems]]
    if benchmark.collective:
        return profile.collective_sizes
    return profile.window_sizes if benchmark.windowed else profile.sizes
