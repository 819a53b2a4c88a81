"""From a run to its projection and its files, with SimGrid."""

import threading
from pathlib import Path

import msgspec
import pytest
from simulated import program
from synthetic import EFFECTS, c_time_ns, make_run

from polympi.lab.errors import UsageError
from polympi.lab.projection import project as project_module
from polympi.lab.projection import simulator
from polympi.lab.projection.against import answer, measured_cases, misses
from polympi.lab.projection.cases import PATTERNS, Case
from polympi.lab.projection.conclusions import model_sentence, summary
from polympi.lab.projection.model import BUILT, Projection
from polympi.lab.projection.network import PRESETS
from polympi.lab.projection.project import Request, project
from polympi.lab.projection.store import make_folder, usual_folder
from polympi.lab.report.projection.tables import cost_table
from polympi.lab.report.projection.write import write_projection
from polympi.lab.samples.store import RunDirectory
from polympi.lab.statistics.analysis import analyse
from polympi.lab.statistics.model import Analysis

RUN_CASES = [
    *[("latency", "standard", "bytes", size) for size in (8, 1024, 65536)],
    ("barrier", "standard", "none", 0),
    *[("bcast", "standard", "bytes", size) for size in (8, 1024)],
]
CASES = [Case(PATTERNS[name], size) for name, size in (("latency", 8), ("ring", 8), ("barrier", 0), ("bcast", 1024))]
PLANTED = EFFECTS | {"quick": (-300.0, 0.0, 1.0), "crawling": (2e6, 0.0, 1.0)}
LANGUAGES = {
    "c": "C",
    "c-again": "C",
    "quick": "Python",
    "crawling": "Python",
    "mpi4py": "Python",
    "mpi4py-object": "Python",
}


@pytest.fixture(scope="module")
def analysis(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    path = tmp_path_factory.mktemp("project") / "run"
    made = {"cases": RUN_CASES, "effects": PLANTED, "languages": LANGUAGES, "events": 1}
    return analyse(make_run(path, stacks=("mpich", "openmpi"), noise=0.002, **made))


@pytest.fixture(scope="module")
def projection(analysis: Analysis) -> Projection:
    found = program()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(simulator, "compiled", lambda: found)
        request = Request(run="run", ranks=[16, 4], network=PRESETS["gigabit"], ranks_per_node=2)
        return project(analysis, request)


def test_bindings_with_a_cost_are_projected_on_each_stack_and_c_is_not(projection: Projection) -> None:
    assert projection.ranks == [4, 16]
    assert [one.stack for one in projection.stacks] == ["mpich", "openmpi"]
    assert [one.selector for one in projection.stacks] == ["mpich", "ompi"]
    shown = {(row.stack, row.binding) for row in projection.rows}
    assert shown == {(s, b) for s in ("mpich", "openmpi") for b in ("mpi4py", "mpi4py-object", "crawling")}
    assert [a.binding for a in projection.stacks[0].arms if not a.shown] == ["quick"]
    # The manifest of mpi4py says that its objects send their sizes first.
    assert next(a for a in projection.stacks[0].arms if a.binding == "mpi4py-object").calls["bcast"] == 2


def test_the_summary_says_what_disappears_what_multiplies_and_what_is_faster(projection: Projection) -> None:
    said = summary(projection)
    of = {
        name: next(text for text in said if text.startswith(f"On mpich: {name} ")) for name in PLANTED if name[0] != "c"
    }
    assert "is faster than C in the ping-pong that was measured, so that there is no cost to project" in of["quick"]
    assert "mpi4py adds 5" in of["mpi4py"]
    assert "It disappears (below 5.0 % of C's time)" in of["mpi4py"]
    assert "each bcast calls MPI's 2 times" in of["mpi4py-object"]
    crawling = next(text for text in said if text.startswith("On mpich: crawling "))
    assert "With 16 ranks it still shows in" in crawling
    assert "2.0 times with 4 ranks and 4.0 times with 16 in barrier" in crawling
    assert model_sentence(projection).startswith("The analytic model (LogGP) gives 1.0")


def test_a_cost_is_the_measured_one_in_a_ping_pong_with_its_interval(projection: Projection) -> None:
    row = next(r for r in projection.rows if (r.binding, r.pattern, r.size_bytes) == ("mpi4py", "latency", 8))
    cost = next(a for a in projection.stacks[0].arms if a.binding == "mpi4py").message
    assert row.added_ns == pytest.approx(cost.median.per_call_ns, rel=0.05)
    assert row.low_ns - row.c_ns == pytest.approx(cost.low.per_call_ns, rel=0.05)
    assert row.high_ns - row.c_ns == pytest.approx(cost.high.per_call_ns, rel=0.05)


def test_what_is_recorded_repeats_the_simulation(projection: Projection) -> None:
    stack = projection.stacks[0]
    again = simulator.simulate(program(), stack.plans[4], stack.network, 4, selector=stack.selector)
    assert again.command == stack.commands[4]
    assert "cluster" in stack.platforms[4]
    row = next(r for r in projection.rows if (r.stack, r.ranks, r.pattern, r.style) == ("mpich", 4, "barrier", BUILT))
    assert again.seconds["c", "barrier", 0, BUILT] * 1e9 == pytest.approx(row.c_ns)


def test_all_files_are_written_and_read_again(projection: Projection, tmp_path: Path) -> None:
    folder = usual_folder(tmp_path, "my network/1")
    assert folder == tmp_path / "projection-my-network-1"
    make_folder(folder, force=False)
    files = write_projection(projection, folder)
    assert [path.name for path in files] == ["projection.html", "projection.md", "projection.csv", "projection.json"]
    assert msgspec.json.decode(files[3].read_bytes(), type=Projection) == projection
    assert len(files[2].read_text().splitlines()) == 1 + len(projection.rows)
    with pytest.raises(UsageError, match="exists and is not overwritten"):
        make_folder(folder, force=False)
    make_folder(folder, force=True)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes").write_text("")
    with pytest.raises(UsageError, match="holds no projection, and other files are never overwritten"):
        make_folder(tmp_path / "mine", force=True)
    with pytest.raises(UsageError, match="is a file: choose a folder"):
        make_folder(tmp_path / "mine" / "notes", force=True)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"stacks": ["mpih"]}, "The run has no stack 'mpih': it has mpich, openmpi. Did you mean 'mpich'?"),
        ({"bindings": ["mpi5py"]}, "'mpi5py' cannot be projected from mpich"),
        ({"ranks": [5000]}, "5000 ranks cannot be projected"),
    ],
)
def test_what_was_not_measured_cannot_be_projected(
    analysis: Analysis, monkeypatch: pytest.MonkeyPatch, asked: dict[str, object], words: str
) -> None:
    monkeypatch.setattr(simulator, "compiled", program)
    request = Request(**{"run": "run", "ranks": [4], "network": PRESETS["gigabit"], **asked})  # type: ignore[arg-type]
    with pytest.raises(UsageError) as error:
        project(analysis, request)
    assert words in str(error.value)


def test_a_run_without_a_ping_pong_or_with_few_blocks_has_no_costs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simulator, "compiled", program)
    request = Request(run="run", ranks=[4], network=PRESETS["gigabit"])
    make_run(tmp_path / "barrier", cases=[("barrier", "standard", "none", 0)], blocks=6, events=1)
    make_run(tmp_path / "few", cases=RUN_CASES, blocks=5, events=1)
    for name, words in {
        "barrier": "no ping-pong of C with two sizes",
        "few": "Nothing of mpich can be projected",
    }.items():
        with pytest.raises(UsageError, match=words):
            project(analyse(RunDirectory.open(tmp_path / name)), request)


def test_only_faster_bindings_leave_nothing_to_simulate(
    analysis: Analysis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simulator, "compiled", program)
    request = Request(run="run", ranks=[4], network=PRESETS["gigabit"], bindings=["quick"])
    found = project(analysis, request)
    assert found.rows == []
    assert "no ping-pong" not in summary(found)[0]
    files = write_projection(found, tmp_path)
    assert files[2].read_text().startswith("stack,binding,ranks,")


@pytest.mark.parametrize("by_network", [False, True], ids=["memory", "network"])
def test_what_c_takes_within_a_node_is_known_where_ranks_shared_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by_network: bool
) -> None:
    monkeypatch.setattr(simulator, "compiled", program)
    run = analyse(make_run(tmp_path / "run", cases=RUN_CASES, blocks=6, events=1, by_network=by_network))
    for per_node in (1, 2):
        request = Request(
            run="run",
            ranks=[4],
            network=PRESETS["gigabit"],
            ranks_per_node=per_node,
            cases=[Case(PATTERNS["bcast"], 8)],
        )
        network = project(run, request).stacks[0].network
        if by_network:
            assert network.node_send == network.node_receive == (network.send if per_node > 1 else [])
        else:
            assert [size for size, _ in network.node_send] == [8, 1024, 65536]
            assert network.node_send[0][1] == pytest.approx(c_time_ns(8) / 2, rel=0.3)


@pytest.mark.parametrize("by_network", [False, True], ids=["memory", "network"])
def test_a_projection_says_where_its_costs_were_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by_network: bool
) -> None:
    monkeypatch.setattr(simulator, "compiled", program)
    made = {"cases": RUN_CASES, "effects": PLANTED, "events": 1, "noise": 0.002}
    run = analyse(make_run(tmp_path / "run", by_network=by_network, **made))
    found = project(run, Request(run="run", ranks=[4], network=PRESETS["gigabit"], bindings=["quick"]))
    way = "by the network" if by_network else "in memory that ranks share"
    assert cost_table(found.stacks[0]).title == f"Costs over C on mpich, measured {way}"
    said = summary(found)[0]
    assert said.startswith("quick is faster than C")
    assert ("what is saved in memory that ranks share is not saved" in said) is not by_network


def test_an_interrupt_ends_the_simulations_that_run(analysis: Analysis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulator, "compiled", program)
    endings: list[threading.Event] = []

    def interrupted(*_: object, ending: threading.Event, **__: object) -> None:
        endings.append(ending)
        raise KeyboardInterrupt

    monkeypatch.setattr(project_module.simulator, "simulate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        project(analysis, Request(run="run", ranks=[4, 8], network=PRESETS["gigabit"]))
    assert endings
    assert all(ending.is_set() for ending in endings)


def test_a_projection_is_held_against_a_run_and_says_by_how_much_it_missed(
    analysis: Analysis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simulator, "compiled", program)
    cases = measured_cases(analysis)
    assert {(case.pattern.name, case.size_bytes) for case in cases} == {(b, s) for b, _, _, s in RUN_CASES}
    request = Request(run="run", ranks=[2], network=PRESETS["gigabit"], ranks_per_node=1, cases=cases)
    found = misses(project(analysis, request), analysis, False)
    assert found[0].binding == "c"
    assert {one.binding for one in found} == {"c", "mpi4py", "mpi4py-object", "quick", "crawling"}
    # The run was on one host, so that a network of 45 µs predicts its microsecond far too slow.
    assert all(one.error > 0.25 for one in found if one.binding == "c" and one.size_bytes <= 1024)
    said = answer(found)
    assert f"of {len(found)} figures are within 25 % of what was measured; the median error is" in said
    assert answer([]) == "Nothing was both predicted and measured."
