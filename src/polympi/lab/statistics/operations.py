"""From samples as measured to the time of one operation, one row for each launch and case.

The time of one operation is that of the batch over its iterations and the operations in one iteration
(``docs/protocol.md``). An event is one iteration, so that an event of a windowed benchmark is one window and is
divided by the messages in it too. A lap of a cycle is divided by its hops, of which there are as many as ranks.

Whatever else lies inside a measured time is subtracted, as the launch itself measured it. Between two
readings of the clock lies the time of one: it is taken off each event of two ranks. From a common start to the
reading after a collective lies the return from waiting, too: the time of a start without a call is taken off each event
of a collective, and off each iteration of one that is timed singly (rooted collectives). A time that would become
negative is 0. A launch that was disturbed while it measured the cost of a start takes that of its binding's other
launches. Nothing is taken off the batches of the others: between two readings they hold many iterations, or a few that
take a millisecond together.
"""

import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence

import polars as pl

from polympi.lab.catalogue import BENCHMARKS
from polympi.lab.errors import ResultError
from polympi.lab.records import LaunchRecord
from polympi.lab.samples.counting import mark_lost
from polympi.lab.samples.store import LostSamplesError, RunDirectory

CASE = ("benchmark", "mode", "payload", "size_bytes", "ranks")
ROW = ("stack", "binding", *CASE)

STARTUP_MODES = {"first-barrier": "ready_ns", "import": "import_ns", "init": "init_ns"}

# A start costs up to twice as much where the processors of the ranks are far apart; what is farther from the median of
# the launches of a binding is a disturbance of the measuring.
DISTURBED = 2

_SCHEMA: dict[str, type[pl.DataType] | pl.DataType] = {
    "stack": pl.String,
    "block": pl.Int64,
    "binding": pl.String,
    "benchmark": pl.String,
    "mode": pl.String,
    "payload": pl.String,
    "size_bytes": pl.Int64,
    "ranks": pl.Int64,
    "median_ns": pl.Float64,
    "batches_ns": pl.List(pl.Float64),
    "events_ns": pl.List(pl.Float64),
    "communication": pl.Float64,
}


def counts(record: LaunchRecord) -> bool:
    """Whether the analysis includes a launch: it finished, and belongs to a block (calibration does not)."""
    return record.outcome == "ok" and record.block is not None


def operation_times(directory: RunDirectory, launches: list[LaunchRecord]) -> tuple[pl.DataFrame, list[LaunchRecord]]:
    """Times of one operation for every launch that counts and every case that it measured; and the launches again.

    The samples are reduced launch by launch, so that a run far larger than memory for its raw rows can be analysed. A
    launch of which the samples cannot be read does not count: it comes back with the outcome ``lost``. The columns are
    ``stack, block, binding,`` those of :data:`CASE`, and ``median_ns`` (of the batches), ``batches_ns`` and
    ``events_ns`` (lists), all of one operation, in ns; and ``communication``, of applications that count it the share
    of the median batch that rank 0 spends in calls of communication, medians of both, else null. ResultError if samples
    are of an unknown benchmark.
    """
    properties = _benchmark_properties()
    counted = [record for record in launches if counts(record)]
    costs = {record.launch: cost for record, cost in zip(counted, start_costs(counted), strict=True)}
    parts: list[pl.DataFrame] = []
    judged: list[LaunchRecord] = []
    for record in launches:
        if counts(record):
            try:
                parts.append(
                    _reduced(directory.samples_of(record), record.clock_cost_ns, costs[record.launch], properties)
                )
            except LostSamplesError as error:
                judged.append(mark_lost(record, str(error)))
                continue
        judged.append(record)
    times = pl.concat([*parts, _startup_times(judged)])
    unknown = times.join(properties, on=["benchmark", "mode"], how="anti")
    if not unknown.is_empty():
        raise ResultError(
            f"'{directory.path}' has samples of '{unknown['benchmark'][0]} {unknown['mode'][0]}', which this polympi "
            "does not know: use the version of polympi that wrote it, or a newer one."
        )
    return times, judged


def start_costs(launches: Sequence[LaunchRecord]) -> list[float]:
    """What a common start costs in each of these launches, in ns.

    It is what the launch itself has measured, or, where that is more than :data:`DISTURBED` times the median of all
    launches of the same binding on the same stack, that median.
    """
    measured: dict[tuple[str, str], list[int]] = defaultdict(list)
    for record in launches:
        measured[record.stack, record.binding].append(record.start_cost_ns)
    usual = {arm: float(statistics.median(costs)) for arm, costs in measured.items()}
    costs = [(float(record.start_cost_ns), usual[record.stack, record.binding]) for record in launches]
    return [median if own > DISTURBED * median else own for own, median in costs]


def _benchmark_properties() -> pl.DataFrame:
    columns = ["benchmark", "mode", "per_iteration", "in_cycle", "from_common_start", "timed_singly"]
    modes = [(b, mode) for b in BENCHMARKS.values() for mode in b.modes]
    rows = [
        (b.name, mode, b.operations(mode, 1), b.kind == "cycle", b.from_common_start, b.timed_singly)
        for b, mode in modes
    ]
    return pl.DataFrame(rows, schema=columns, orient="row")


def _reduced(samples: pl.DataFrame, clock_ns: float, start_ns: float, properties: pl.DataFrame) -> pl.DataFrame:
    """The samples of one launch, one row per case; given the costs of a clock reading and of a start in it."""
    clock, start = pl.lit(clock_ns), pl.lit(start_ns)
    batch, event, communicated = (pl.col("kind") == kind for kind in ("batch", "event", "communication"))
    an_iteration = pl.col("time_ns") / pl.col("iterations")
    alone = pl.when("from_common_start").then(start).otherwise(clock)
    singly = pl.when("timed_singly").then(start).otherwise(0.0)
    operations = pl.col("per_iteration") * pl.when("in_cycle").then("ranks").otherwise(1)
    batches = (pl.col("batches") - pl.col("inside")) / operations
    events = (pl.col("events") - pl.col("alone")) / operations
    return (
        samples.group_by("launch", "stack", "block", "binding", *CASE)
        .agg(
            an_iteration.filter(batch).alias("batches"),
            (an_iteration.filter(communicated).median() / an_iteration.filter(batch).median()).alias("communication"),
            pl.col("time_ns").filter(event).cast(pl.Float64).alias("events"),
        )
        .join(properties, on=["benchmark", "mode"], how="left")
        .with_columns(inside=singly, alone=alone)
        .with_columns(
            batches_ns=batches.list.eval(pl.element().clip(0.0)), events_ns=events.list.eval(pl.element().clip(0.0))
        )
        .with_columns(median_ns=pl.col("batches_ns").list.median())
        .select(pl.col(name).cast(kind) for name, kind in _SCHEMA.items())
    )


def _startup_times(launches: Iterable[LaunchRecord]) -> pl.DataFrame:
    """The launch figures of the benchmark ``startup``: each launch is one batch of one operation.

    A compiled program says that loading its binding took 0; that is no figure, and so no row.
    """
    rows: list[tuple[object, ...]] = []
    for record in filter(counts, launches):
        for mode, field in STARTUP_MODES.items():
            time = getattr(record, field)
            if time:
                row = (record.stack, record.block, record.binding, "startup", mode, "none", 0, record.ranks)
                rows.append((*row, float(time), [float(time)], [], None))
    return pl.DataFrame(rows, schema=_SCHEMA, orient="row")
