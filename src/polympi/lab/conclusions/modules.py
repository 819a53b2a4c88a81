"""The study of Python modules: one line for each, with what others published of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from polympi.lab.conclusions.order import in_order
from polympi.lab.conclusions.rows import Row, rows_of
from polympi.lab.published import published
from polympi.lab.records import AGAIN, REFERENCE
from polympi.lab.statistics.model import Analysis, Fit

PUBLISHED_FITS = "python_modules_pingpong_fit"
PUBLISHED_AS = {  # how the published table calls what a binding stands for
    REFERENCE: "C",
    "pypar": "pypar",
    "mympi": "MYMPI",
    "pympi": "pyMPI",
    "scientific": "Scientific.MPI",
    "boostmpi-compat": "boostmpi",
    "mpi4py": "mpi4py",
}
COLLECTIVES = ("bcast", "reduce", "allreduce")
# How a module gives what it receives: into an array that a program has, or as a new one. The first that was measured.
PAYLOADS = ("float64", "array")


@dataclass(frozen=True)
class Timed:
    """The time of an operation, and its ratio to C; None without one."""

    median_ns: float
    ratio_to_c: float | None


@dataclass(frozen=True)
class Published:
    """What others measured: a fit over a ping-pong of arrays, and its latency over that of their C."""

    latency_us: float
    latency_to_c: float
    mb_per_s: float


@dataclass(frozen=True)
class Module:
    """What a run has of one module on one stack."""

    stack: str
    binding: str
    payload: str  # what its ping-pong sent, one of `PAYLOADS`; empty without one
    latency: Timed | None  # of the first segment of its fit, over that of C for the same payload; None without a fit
    mb_per_s: float | None  # of the largest message of its ping-pong; None without one
    smallest: dict[str, Timed]  # time of a collective of the smallest size, by its name
    collective_bytes: int | None  # that size; None if none was measured
    inner_product: Timed | None
    hello: int | None  # lines of code of its smallest program; None if not counted
    inner_product_lines: int | None  # of the solver; None if not counted
    published: Published | None  # None if nobody published any


def modules(analysis: Analysis, stack: str) -> list[Module]:
    """All arms of a run on a stack, C first, but for the A/A arm; none where nothing was measured."""
    rows = [row for row in rows_of(analysis) if row.stack == stack and row.median_ns is not None]
    names = list(dict.fromkeys(row.binding for row in rows if row.binding != AGAIN))
    theirs = published_fits()
    return [_module(analysis, stack, name, rows, theirs) for name in in_order(analysis.run, names)]


def published_fits() -> dict[str, Published]:
    """The published table by module."""
    lines = list(published(PUBLISHED_FITS).frame.iter_rows())
    of_c = next(latency for name, latency, _ in lines if name == "C")
    return {name: Published(latency, latency / of_c, rate) for name, latency, rate in lines}


def ping_pong_fit(fits: Iterable[Fit], stack: str, binding: str, payload: str) -> Fit | None:
    """The fit of a binding's ping-pong."""
    wanted = (stack, binding, "latency", "standard", payload)
    found = (f for f in fits if (f.stack, f.binding, f.benchmark, f.mode, f.payload) == wanted and f.segments)
    return next(found, None)


def _module(analysis: Analysis, stack: str, name: str, rows: Sequence[Row], theirs: dict[str, Published]) -> Module:
    own = [row for row in rows if row.binding == name]
    payload = next((p for p in PAYLOADS if any((r.benchmark, r.payload) == ("latency", p) for r in own)), "")
    fit = ping_pong_fit(analysis.fits, stack, name, payload)
    messages = [row for row in own if (row.benchmark, row.mode, row.payload) == ("latency", "standard", payload)]
    largest = max(messages, key=lambda row: row.size_bytes, default=None)
    planned = next(one for one in analysis.run.stacks if one.stack == stack)
    lines = planned.lines.get(name)
    collectives = [row for row in own if row.benchmark in COLLECTIVES and row.payload == (payload or row.payload)]
    smallest = min((row.size_bytes for row in collectives), default=None)
    return Module(
        stack=stack,
        binding=name,
        payload=payload,
        latency=None if fit is None else _latency(fit, ping_pong_fit(analysis.fits, stack, REFERENCE, payload)),
        mb_per_s=largest.mb_per_s if largest else None,
        smallest={row.benchmark: _timed(row) for row in collectives if row.size_bytes == smallest},
        collective_bytes=smallest,
        inner_product=next((_timed(row) for row in own if row.benchmark == "inner-product"), None),
        hello=(lines.hello or None) if lines else None,
        inner_product_lines=lines.applications.get("inner-product") if lines else None,
        published=theirs.get(PUBLISHED_AS.get(name, "")),
    )


def _latency(fit: Fit, reference: Fit | None) -> Timed:
    latency = fit.segments[0].latency_ns
    base = reference.segments[0].latency_ns if reference else 0.0
    return Timed(latency, latency / base if base > 0 else None)


def _timed(row: Row) -> Timed:
    assert row.median_ns is not None  # only such rows are looked at
    return Timed(row.median_ns, 1.0 if row.binding == REFERENCE else row.ratio_to_c)
