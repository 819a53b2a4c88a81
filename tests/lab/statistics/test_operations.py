import polars as pl
import pytest
from synthetic import make_run

from polympi.lab.errors import ResultError
from polympi.lab.records import SAMPLE_SCHEMA, LaunchRecord
from polympi.lab.samples.store import RunDirectory
from polympi.lab.statistics.operations import operation_times, start_costs

CLOCK, START = 20.0, 45


def directory_of(path, *rows, **record):
    """A run of one launch with the given samples: benchmark, mode, size, kind, iterations, time."""
    cases = list(dict.fromkeys((b, m, "bytes", s) for b, m, s, *_ in rows))
    empty = make_run(path, blocks=1, effects={}, cases=cases)
    launch = {"launch": 0, "stack": "mpich", "block": 0, "position": 0, "binding": "c", "ranks": 2, "outcome": "ok"}
    launch |= {"clock_cost_ns": CLOCK, "start_cost_ns": START} | record
    samples = [
        {"benchmark": b, "mode": m, "payload": "bytes", "size_bytes": s, "kind": k, "iterations": i, "time_ns": t}
        for b, m, s, k, i, t in rows
    ]
    columns = {k: launch[k] for k in ("stack", "launch", "block", "binding", "ranks")}
    frame = pl.DataFrame([columns | s for s in samples], schema=SAMPLE_SCHEMA)
    empty.append_launch(LaunchRecord(**launch), frame)
    return empty


def times_of(directory, benchmark):
    times, _ = operation_times(directory, directory.launches())
    return times.filter(pl.col("benchmark") == benchmark)


@pytest.mark.parametrize(
    ("benchmark", "mode", "operations", "inside"),
    [
        ("latency", "standard", 2, CLOCK),
        ("latency", "sendrecv", 1, CLOCK),
        ("bandwidth", "standard", 64, CLOCK),
        ("bibandwidth", "standard", 128, CLOCK),
        ("stream", "standard", 64, CLOCK),
        ("ring", "standard", 2, CLOCK),  # two ranks, two hops
        ("plan", "standard", 200, CLOCK),  # a hundred messages each way
        ("halo", "standard", 1, CLOCK),  # an exchange
        ("allreduce", "standard", 1, START),
    ],
)
def test_a_time_is_that_of_one_operation(tmp_path, benchmark, mode, operations, inside):
    directory = directory_of(
        tmp_path / "run",
        (benchmark, mode, 8, "batch", 10, 10 * operations * 500),
        (benchmark, mode, 8, "batch", 10, 10 * operations * 700),
        (benchmark, mode, 8, "event", 1, operations * 900 + inside),
    )
    (row,) = times_of(directory, benchmark).to_dicts()
    assert row["median_ns"] == 600
    assert row["batches_ns"] == [500, 700]
    assert row["events_ns"] == [900]  # whatever else lies in an event is subtracted before it is divided


def test_the_time_of_a_ring_is_that_of_one_of_its_hops(tmp_path):
    lap = ("ring", "standard", 1024, "batch", 10, 10 * 40 * 500)
    directory = directory_of(tmp_path / "run", lap, ranks=40)
    assert times_of(directory, "ring")["median_ns"].to_list() == [500]


def test_the_share_of_communication_is_that_of_the_median_batch(tmp_path):
    batches, spent = (4000, 6000, 90000), (1200, 1000, 80000)  # the last one was disturbed
    samples = [("wave", "blocking", 8, "batch", 10, ns) for ns in batches]
    samples += [("wave", "blocking", 8, "communication", 10, ns) for ns in spent]
    (row,) = times_of(directory_of(tmp_path / "run", *samples), "wave").to_dicts()
    assert row["communication"] == pytest.approx(1200 / 6000)
    assert row["batches_ns"] == [400, 600, 9000]  # no part of them
    (row,) = times_of(directory_of(tmp_path / "without", *samples[:3]), "wave").to_dicts()
    assert row["communication"] is None


def test_rooted_collectives_pay_a_start_in_every_iteration(tmp_path):
    directory = directory_of(
        tmp_path / "run", ("bcast", "standard", 8, "batch", 10, 5450), ("bcast", "standard", 8, "event", 1, 545)
    )
    (row,) = times_of(directory, "bcast").to_dicts()
    assert row["median_ns"] == 500
    assert row["events_ns"] == [500]


def test_no_time_becomes_negative(tmp_path):
    directory = directory_of(
        tmp_path / "run", ("bcast", "standard", 8, "batch", 10, 100), ("bcast", "standard", 8, "event", 1, 19)
    )
    (row,) = times_of(directory, "bcast").to_dicts()
    assert (row["median_ns"], row["events_ns"]) == (0, [0])


@pytest.mark.parametrize("record", [{"outcome": "crashed"}, {"block": None}, {"outcome": "timed out"}])
def test_launches_that_failed_or_calibrated_do_not_count(tmp_path, record):
    record = {"block": None} | record if record.get("block", 0) is None else record
    directory = directory_of(tmp_path / "run", ("latency", "standard", 8, "batch", 10, 1000), ready_ns=5, **record)
    assert operation_times(directory, directory.launches())[0].is_empty()


def test_launch_figures_are_those_of_the_launch(tmp_path):
    directory = directory_of(tmp_path / "run", ready_ns=300, import_ns=50, init_ns=40)
    times = times_of(directory, "startup")
    assert dict(times.select("mode", "median_ns").iter_rows()) == {"first-barrier": 300, "import": 50, "init": 40}
    assert times["size_bytes"].unique().to_list() == [0]


def test_an_unknown_first_barrier_and_a_program_that_loads_nothing_are_no_figures(tmp_path):
    directory = directory_of(tmp_path / "run", ready_ns=None, init_ns=40)
    assert set(times_of(directory, "startup")["mode"]) == {"init"}


def test_a_benchmark_of_another_version_is_named(tmp_path):
    directory = directory_of(tmp_path / "run", ("teleport", "standard", 8, "batch", 10, 1000))
    with pytest.raises(ResultError, match="teleport standard"):
        operation_times(directory, directory.launches())


def test_a_launch_with_a_damaged_middle_does_not_count_at_all(tmp_path):
    directory = make_run(tmp_path / "run", blocks=2)
    path = directory.path / "samples" / "000001.parquet"
    content = path.read_bytes()
    data = len(content) // 2  # the columns; what describes them comes last in the file and stays
    path.write_bytes(content[:4] + bytes(data - 4) + content[data:])
    times, launches = operation_times(directory, directory.launches())
    assert [launch.outcome for launch in launches] == ["ok", "lost"] + ["ok"] * 6
    assert launches[1].detail == "samples/000001.parquet is damaged"
    again = times.filter(binding="c-again")
    assert set(again["block"]) == {1}
    assert "startup" in set(again["benchmark"])


def test_a_launch_with_samples_of_a_case_that_was_not_planned_does_not_count(tmp_path):
    cases = [("latency", "ready", "bytes", 8), ("bcast", "standard", "bytes", 8)]
    directory = make_run(tmp_path / "run", blocks=2, cases=cases)
    path = directory.path / "samples" / "000001.parquet"
    benchmark = pl.col("benchmark").replace("latency", "barrier")  # which is known, but not in the mode ready
    pl.read_parquet(path).with_columns(benchmark).write_parquet(path)
    times, launches = operation_times(directory, directory.launches())
    assert [launch.outcome for launch in launches] == ["ok", "lost"] + ["ok"] * 6
    assert launches[1].detail == "samples/000001.parquet holds samples of a case that was not planned"
    assert set(times["benchmark"]) == {"latency", "bcast", "startup"}


def test_a_run_without_launches_has_no_times(tmp_path):
    directory = RunDirectory.open(make_run(tmp_path / "run", blocks=0).path)
    assert operation_times(directory, directory.launches())[0].is_empty()


def test_a_start_that_was_disturbed_costs_what_it_costs_the_other_launches_of_its_binding():
    def launch(cost, **fields):
        whole = {"stack": "mpich", "binding": "polympi", "block": 0, "position": 0, "ranks": 2, "outcome": "ok"}
        return LaunchRecord(launch=0, start_cost_ns=cost, **{**whole, **fields})

    launches = [launch(cost) for cost in (100, 4165, 190, 120, 150)]
    others = [launch(20, binding="c"), launch(40, stack="openmpi")]
    assert start_costs([*launches, *others]) == [100, 150, 190, 120, 150, 20, 40]
