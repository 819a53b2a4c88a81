"""Every benchmark, mode and payload of the catalogue, at the few sizes where programs differ."""

from __future__ import annotations

from polympi.lab.catalogue import BENCHMARKS, FIXED_SIZES, GROUP_BYTES, Case, face_bytes, halo_bytes, problem_bytes

EAGER_AND_RENDEZVOUS = (8, 24, 1024, 69632)  # 24 is a dict's only size; 69632 is above both stacks' eager limits
LATENCY_SIZES = (0, *EAGER_AND_RENDEZVOUS, 2**20)
SMALLEST_FACE = face_bytes(2)
FACE_SIZES = (SMALLEST_FACE, face_bytes(11), face_bytes(34), face_bytes(130))  # from two rows of two to rendezvous
SMALLEST_HALO = halo_bytes(2)
HALO_SIZES = (SMALLEST_HALO, halo_bytes(9), halo_bytes(32), halo_bytes(128))  # the last is above eager limits
EDGES = (12, 21)  # of applications: divided among 2, 3 and 4 ranks with and without a rest
LAYOUT_SIZES = (GROUP_BYTES, 1024, 69632)  # from one group to rendezvous


def all_cases() -> list[Case]:
    """Every benchmark, mode and payload of the catalogue at a few sizes."""
    return [
        Case(benchmark.name, mode, payload, size)
        for benchmark in BENCHMARKS.values()
        if not benchmark.launch_figure
        for mode in benchmark.modes
        for payload in benchmark.payloads
        for size in ([FIXED_SIZES[payload]] if payload in FIXED_SIZES else sizes(benchmark.name, mode))
        if benchmark.allows(payload, size)
    ]


def sizes(benchmark: str, mode: str) -> tuple[int, ...]:
    """All sizes where they matter most; elsewhere one on each side of the switch to rendezvous."""
    if benchmark == "faces":
        return FACE_SIZES
    if benchmark == "halo":
        return HALO_SIZES
    if dimensions := BENCHMARKS[benchmark].dimensions:
        return tuple(problem_bytes(edge, dimensions) for edge in EDGES)
    if benchmark == "datatype":
        return LAYOUT_SIZES
    if benchmark == "latency":
        return LATENCY_SIZES if mode == "standard" else (8, 24, 69632)
    return (0, 8, 24, 69632)
