import math
from itertools import pairwise
from statistics import median

import msgspec
import polars as pl
import pytest
from synthetic import EFFECTS, SIZES, c_time_ns, make_run

from polympi.lab.catalogue import Case
from polympi.lab.records import LaunchRecord, Outcome, Refusal, RowStop
from polympi.lab.samples.store import RunDirectory
from polympi.lab.statistics.analysis import analyse
from polympi.lab.statistics.model import SUMMARY_COLUMNS

LATENCY = [("latency", "standard", "bytes", s) for s in SIZES]
EIGHT_BYTES = {"benchmark": "latency", "mode": "standard", "payload": "bytes", "size_bytes": 8}


def row(analysis, binding, **case):
    case = EIGHT_BYTES | case
    (found,) = analysis.summary.filter(binding=binding, **case).to_dicts()
    return found


def rewrite(directory, change):
    """Change the launch records of a finished run."""
    records = [change(r) for r in directory.launches()]
    encoded = b"".join(msgspec.json.encode(r) + b"\n" for r in records)
    (directory.path / "launches.jsonl").write_bytes(encoded)
    return RunDirectory.open(directory.path)


@pytest.fixture(scope="module")
def analysis(tmp_path_factory):
    return analyse(make_run(tmp_path_factory.mktemp("runs") / "run", blocks=10))


def test_the_columns_are_those_of_the_documents(analysis):
    assert tuple(analysis.summary.columns) == SUMMARY_COLUMNS


def test_the_order_is_that_of_the_run_and_the_catalogue(analysis):
    assert analysis.summary["binding"].unique(maintain_order=True).to_list() == list(EFFECTS)
    c = analysis.summary.filter(binding="c")
    order = c["benchmark"].unique(maintain_order=True).to_list()
    assert order == ["latency", "bandwidth", "barrier", "allreduce", "startup"]
    sizes = c.filter(benchmark="bandwidth")["size_bytes"].to_list()
    assert all(a < b for a, b in pairwise(sizes))


@pytest.mark.parametrize("binding", ["mpi4py", "mpi4py-object"])
@pytest.mark.parametrize("size", [0, 8, 1024])
def test_planted_effects_are_recovered(analysis, binding, size):
    per_call, per_byte, _ = EFFECTS[binding]
    truth = per_call + per_byte * size
    found = row(analysis, binding, size_bytes=size)
    assert found["verdict"] == "slower"
    assert found["delta_to_c_ns"] == pytest.approx(truth, rel=0.2)  # the machine drifts by a tenth
    assert found["delta_low_ns"] < truth < found["delta_high_ns"]
    assert found["ratio_to_c"] == pytest.approx(1 + truth / c_time_ns(size), rel=0.02)
    assert found["ratio_low"] < 1 + truth / c_time_ns(size) < found["ratio_high"]
    assert found["confidence"] == pytest.approx(0.978515625)
    assert found["p_value"] == 2 / 2**10
    assert 2 / 2**10 <= found["q_value"] <= 0.05


def test_an_effect_that_drowns_is_not_separated(analysis):
    found = row(analysis, "mpi4py", size_bytes=2**22)
    assert found["verdict"] == "not separated"
    assert found["ratio_low"] < 1 < found["ratio_high"]


def test_the_reference_has_no_effect_and_no_floor(analysis):
    found = row(analysis, "c")
    assert found["verdict"] == "reference"
    effect = ("delta_to_c_ns", "ratio_to_c", "ratio_low", "p_value", "q_value", "floor_ratio")
    assert [found[c] for c in effect] == [None] * 6
    assert found["ci_low_ns"] < found["median_ns"] < found["ci_high_ns"]


def test_the_floor_of_a_row_is_how_far_the_again_arm_reaches_in_its_case_or_its_benchmark(analysis):
    again = analysis.summary.filter(binding="c-again", benchmark="bandwidth")
    assert set(again["floor_ratio"]) == {None}
    reaches = {
        r["size_bytes"]: math.sqrt(0.75) * math.log(r["ratio_high"] / r["ratio_low"]) / 2 for r in again.to_dicts()
    }
    usual = median(reaches.values())
    for size, own in reaches.items():
        found = row(analysis, "mpi4py", benchmark="bandwidth", size_bytes=size)
        assert found["floor_ratio"] == pytest.approx(math.exp(max(own, usual)), rel=1e-6)


def test_an_effect_within_the_noise_of_c_itself_is_not_believed(tmp_path):
    directory = make_run(tmp_path / "run", cases=LATENCY, effects=EFFECTS | {"faster": (0.0, 0.0, 0.61)})
    for path in sorted((directory.path / "samples").glob("*.parquet")):
        samples = pl.read_parquet(path)
        if samples["binding"][0] == "c-again":
            factor = 0.34 if samples["block"][0] % 2 else 2.55
            samples.with_columns(time_ns=(pl.col("time_ns") * factor).cast(pl.Int64)).write_parquet(path)
    noisy = row(analyse(directory), "faster")
    assert noisy["ratio_to_c"] < 1
    assert noisy["floor_ratio"] == pytest.approx((2.55 / 0.34) ** (math.sqrt(0.75) / 2), rel=0.1)
    assert noisy["verdict"] == "not separated"


def test_rates_are_bytes_over_the_median_time_which_one_bad_batch_does_not_move(tmp_path):
    directory = make_run(tmp_path / "run", cases=LATENCY)
    path = directory.path / "samples" / "000000.parquet"
    worst = (pl.col("kind") == "batch") & (pl.col("time_ns") == pl.col("time_ns").max().over("size_bytes", "kind"))
    bad = pl.when(worst).then(pl.col("time_ns") * 100).otherwise("time_ns")
    pl.read_parquet(path).with_columns(time_ns=bad).write_parquet(path)
    found = row(analyse(directory), "c", size_bytes=65536)
    assert found["mb_per_s"] == 1000 * 65536 / found["median_ns"]
    assert found["mb_per_s"] == pytest.approx(1000 * 65536 / c_time_ns(65536), rel=0.2)
    assert row(analyse(directory), "c", size_bytes=0)["mb_per_s"] is None


def test_percentiles_pool_the_events_of_all_launches(analysis):
    found = row(analysis, "c")
    ordered = [found[c] for c in ("p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns")]
    assert ordered == sorted(ordered)
    assert ordered[0] == pytest.approx(c_time_ns(8), rel=0.2)
    assert found["samples"] == 30


def test_imports_have_no_counterpart_in_c(analysis):
    found = row(analysis, "mpi4py", benchmark="startup", mode="import", payload="none", size_bytes=0)
    assert found["median_ns"] == 50_000_000
    assert (found["ratio_to_c"], found["verdict"]) == (None, "no counterpart")
    assert (found["p50_ns"], found["mb_per_s"]) == (None, None)


def test_memory_is_compared_with_c(analysis):
    [of_mpi4py] = analysis.memory.filter(binding="mpi4py").to_dicts()
    sizes = {"pss_bytes": 30_000_000, "pss_mean_bytes": 29_000_000, "rss_bytes": 40_000_000}
    arm = {"stack": "mpich", "binding": "mpi4py", "ranks": 2, "launches": 10}
    assert of_mpi4py == arm | sizes | {"delta_to_c_bytes": 10_000_000}


def test_the_fit_finds_the_rendezvous_step(analysis):
    (fit,) = [f for f in analysis.fits if (f.binding, f.benchmark, f.mode) == ("c", "latency", "standard")]
    assert [(s.first_size, s.last_size) for s in fit.segments] == [(0, 8192), (65536, 4194304)]
    assert fit.segments[0].latency_ns == pytest.approx(800, rel=0.15)
    assert fit.segments[1].per_byte_ns == pytest.approx(1 / 12, rel=0.15)
    assert fit.sizes == tuple(SIZES)
    assert fit.fitted_ns == pytest.approx(fit.measured_ns, rel=0.05)


def test_overheads_cover_what_was_planted(analysis):
    found = {o.binding: o for o in analysis.overheads if o.benchmark == "latency"}
    assert set(found) == {"c-again", "mpi4py", "mpi4py-object"}
    for binding, overhead in found.items():
        per_call, per_byte, _ = EFFECTS[binding]
        assert overhead.per_call_low_ns <= per_call <= overhead.per_call_high_ns
        assert overhead.per_byte_low_ns <= per_byte <= overhead.per_byte_high_ns
        assert overhead.launches == 10
    assert found["mpi4py"].per_call_ns == pytest.approx(520, rel=0.2)


def test_a_complete_run_is_not_partial(analysis):
    assert not analysis.partial
    assert analysis.summary["stopped_by"].unique().to_list() == ["fixed"]


def test_too_few_launches_are_said_and_not_judged(tmp_path):
    directory = make_run(tmp_path / "run", blocks=5, cases=LATENCY, ended="interrupted")
    directory.write_run(msgspec.structs.replace(directory.run(), minimum_blocks=6, maximum_blocks=6))
    found = analyse(directory)
    assert found.partial
    mpi4py = row(found, "mpi4py")
    assert mpi4py["verdict"] == "too few launches"
    assert (mpi4py["confidence"], mpi4py["ci_low_ns"], mpi4py["ratio_low"], mpi4py["q_value"]) == (None,) * 4
    assert mpi4py["ratio_to_c"] > 1
    assert mpi4py["stopped_by"] == "interrupted"
    assert found.overheads == []


def test_only_blocks_in_which_both_ran_are_paired(tmp_path):
    def change(record: LaunchRecord) -> LaunchRecord:
        crashed = (record.binding, record.block) in {("c", 0), ("c-again", 0), ("mpi4py", 1), ("c", 2), ("mpi4py", 3)}
        return msgspec.structs.replace(record, outcome="crashed") if crashed else record

    found = analyse(rewrite(make_run(tmp_path / "run", blocks=8, cases=LATENCY), change))
    assert row(found, "c")["launches"] == row(found, "mpi4py")["launches"] == 6
    assert row(found, "mpi4py")["verdict"] == "too few launches"  # five blocks have both
    assert row(found, "mpi4py")["p_value"] == 2 / 2**5
    assert row(found, "mpi4py-object")["p_value"] == 2 / 2**7  # in block 2 the second launch of C stands in
    assert row(found, "mpi4py-object")["verdict"] == "slower"
    assert len(found.launch_medians.filter(binding="mpi4py", size_bytes=8)) == 6


def test_a_failed_validation_makes_the_row_invalid_whatever_was_timed(tmp_path):
    case = str(Case("latency", "standard", "bytes", 8))
    unmeasured = str(Case("bcast", "standard", "bytes", 64))

    def change(record: LaunchRecord) -> LaunchRecord:
        if (record.binding, record.block) != ("mpi4py", 3):
            return record
        return msgspec.structs.replace(record, invalid=[Refusal(case, "byte 3"), Refusal(unmeasured, "byte 0")])

    found = analyse(rewrite(make_run(tmp_path / "run", cases=LATENCY), change))
    timed = row(found, "mpi4py")
    assert (timed["verdict"], timed["launches"], timed["ratio_to_c"]) == ("invalid", 9, None)
    untimed = row(found, "mpi4py", benchmark="bcast", size_bytes=64)
    assert (untimed["verdict"], untimed["launches"], untimed["median_ns"]) == ("invalid", 0, None)
    assert row(found, "mpi4py", size_bytes=64)["verdict"] == "slower"
    assert found.launch_medians.filter(binding="mpi4py", size_bytes=8).is_empty()


def test_an_invalid_reference_is_not_a_counterpart(tmp_path):
    invalid = [Refusal(str(Case("latency", "standard", "bytes", 8)), "byte 3")]

    def change(record: LaunchRecord) -> LaunchRecord:
        return msgspec.structs.replace(record, invalid=invalid) if record.binding == "c" else record

    found = analyse(rewrite(make_run(tmp_path / "run", cases=LATENCY), change))
    assert row(found, "c")["verdict"] == "invalid"
    assert row(found, "c-again")["verdict"] == "no counterpart"
    assert row(found, "mpi4py")["verdict"] == "no counterpart"


def test_without_an_again_arm_no_effect_is_more_than_ambiguous(tmp_path):
    effects = {k: v for k, v in EFFECTS.items() if k != "c-again"}
    found = analyse(make_run(tmp_path / "run", cases=LATENCY, effects=effects))
    assert row(found, "mpi4py-object")["verdict"] == "ambiguous"
    assert row(found, "mpi4py-object")["floor_ratio"] is None


def test_stacks_are_compared_with_their_own_c(tmp_path):
    found = analyse(make_run(tmp_path / "run", cases=LATENCY, stacks=("mpich", "openmpi")))
    assert found.summary["stack"].unique(maintain_order=True).to_list() == ["mpich", "openmpi"]
    for stack in ("mpich", "openmpi"):
        assert row(found, "mpi4py", stack=stack)["verdict"] == "slower"


def test_recorded_stops_are_reported(tmp_path):
    directory = make_run(tmp_path / "run", cases=LATENCY)
    stop = RowStop(stack="mpich", binding="mpi4py", **EIGHT_BYTES, stopped_by="precision", blocks=9)
    directory.write_outcome(Outcome(ended="time limit", finished="", blocks={"mpich": 9}, stops=[stop]))
    assert row(analyse(directory), "mpi4py")["stopped_by"] == "precision"


def test_outliers_are_counted_among_launches_and_batches_and_kept(tmp_path):
    directory = make_run(tmp_path / "run", blocks=12, cases=LATENCY, effects={"c": EFFECTS["c"]}, drift=0, batches=5)
    path = directory.path / "samples" / "000004.parquet"
    pl.read_parquet(path).with_columns(time_ns=pl.col("time_ns") * 10).write_parquet(path)
    disturbed = row(analyse(directory), "c")
    assert disturbed["outliers"] >= 6  # the launch, and its five batches
    assert disturbed["ci_high_ns"] < 1000
    assert disturbed["max_ns"] > 5000
    assert disturbed["launches"] == 12


def test_a_run_that_measured_nothing_has_empty_tables(tmp_path):
    found = analyse(make_run(tmp_path / "run", blocks=0))
    assert found.summary.is_empty()
    assert found.memory.is_empty()
    assert (found.fits, found.overheads) == ([], [])


def test_a_launch_without_its_samples_leaves_its_block_to_the_other_bindings(tmp_path):
    directory = make_run(tmp_path / "run", blocks=8)
    (directory.path / "samples" / "000002.parquet").unlink()
    lines = (directory.path / "launches.jsonl").read_bytes().splitlines(keepends=True)
    lines[7] = b"{\n"
    (directory.path / "launches.jsonl").write_bytes(b"".join(lines))
    analysis = analyse(directory)
    assert [row(analysis, name)["launches"] for name in ("c", "mpi4py", "mpi4py-object")] == [8, 7, 7]
    memory = dict(analysis.memory.select("binding", "launches").iter_rows())
    assert memory == {"c": 8, "c-again": 8, "mpi4py": 7, "mpi4py-object": 7}
    assert analysis.damaged_lines == [8]
