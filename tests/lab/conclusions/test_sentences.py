"""Each kind of sentence in its variants, as it stands in ``sentences.tsv``.

After a sentence was changed on purpose: ``PYTHONPATH=tests/lab:tests python tests/lab/conclusions/test_sentences.py``
writes the file again, and its difference shows what a reader will see.
"""

from dataclasses import replace
from itertools import cycle
from pathlib import Path

import msgspec
import pytest
from built import built_analysis, launch, summary_row
from changes_made_up import comparison, group
from synthetic import make_run

from polympi.lab.catalogue import problem_bytes
from polympi.lab.conclusions import answers, changes, labels
from polympi.lab.conclusions.answers import startup_answer
from polympi.lab.conclusions.brief import NOTHING, calls_sentence, first_of, large_sentence, small_sentence
from polympi.lab.conclusions.brief import brief as all_of_brief
from polympi.lab.conclusions.caveats import thread_levels, threads_sentence
from polympi.lab.conclusions.clocks import clocks_sentence, start_sentence
from polympi.lab.conclusions.equations import Solved, statements
from polympi.lab.conclusions.gaps import failed_launches, failures, omissions, uncovered
from polympi.lab.conclusions.modules import Timed
from polympi.lab.conclusions.pages import huge_share, pages_sentence
from polympi.lab.conclusions.rows import Row, rows_of
from polympi.lab.records import LaunchRecord, Refusal
from polympi.lab.report.cells import cell
from polympi.lab.statistics.analysis import analyse

NONE = "–"
SNAPSHOT = Path(__file__).with_name("sentences.tsv")
FULL = [0, 8, 64, 1024, 8192, 65536, 2**20, 2**22]
SMALL, MIB = FULL[:4], 2**20
VERDICTS = {"S": "slower", "F": "faster", "-": "not separated", "?": "ambiguous", "3": "too few launches"}
FEW = {"launches": 3, "ratio_low": None, "ratio_high": None}
STARTUP = {"benchmark": "startup", "payload": "none"}


def say(topic, rows, binding="mpi4py", **options):
    found = [a.text for a in answers(built_analysis(rows, **options)) if a.topic == topic and a.binding == binding]
    return found[0] if found else ""


def series(sizes, verdicts="S", **fields):
    """A row per size; the letters of the verdicts are repeated."""
    return [summary_row(s, verdict=VERDICTS[v], **fields) for s, v in zip(sizes, cycle(verdicts), strict=False)]


def face(mode, size=135200, **other):
    return summary_row(size, c_ns=100_000, benchmark="faces", payload="float64", mode=mode, **other)


FACES = [face("elements", delta=-40_000, verdict="faster"), face("rows", delta=20_000), face("rows", 9248, delta=1)]


def shares(verdicts):
    made = [(s, v, 1000 if v == "S" else 4) for s, v in zip(FULL[1:], verdicts, strict=False)]
    return [summary_row(s, c_ns=1000, delta=d, verdict=VERDICTS[v], benchmark="bandwidth") for s, v, d in made]


def calls(*made):
    """Collectives, each as name, difference, verdict, and payload if that is not bytes."""
    rows = [(0 if name == "barrier" else 8, name, delta, v, *payload, "bytes") for name, delta, v, *payload in made]
    return [summary_row(s, delta=d, verdict=VERDICTS[v], benchmark=b, payload=p) for s, b, d, v, p, *_ in rows]


def large_calls(verdicts):
    made = [(65536 << i, v, -500 if v == "F" else 500) for i, v in enumerate(verdicts)]
    large = [summary_row(s, c_ns=9000, delta=d, verdict=VERDICTS[v], benchmark="bcast") for s, v, d in made]
    return [summary_row(8, benchmark="bcast"), *large]


BARRIER = summary_row(0, c_ns=3e8, delta=1.1e8, mode="first-barrier", **STARTUP)
IMPORT = summary_row(0, c_ns=5e7, delta=0, verdict="no counterpart", mode="import", **STARTUP)
NOISE = series((8, 64, 1024), "-", delta=0.8, binding="c-again")
NOISE += series([8192], "-", c_ns=1000, delta=22, ratio_low=0.8, ratio_high=0.98, binding="c-again")


def memory(*of):
    return say("memory", [summary_row()], memory=[("mpich", "mpi4py", *of)])


def label(**run):
    return [f"{one.word}: {one.text}" for one in labels(built_analysis(**run))]


def brief(part, *rows):
    return part([Row(**row) for row in rows])


def same(size, **other):
    return summary_row(size, delta=4, verdict="not separated", **other)


def levels(**of):
    launches = [launch(number, binding=name, threads=level) for number, (name, level) in enumerate(of.items())]
    return threads_sentence(built_analysis([summary_row()], launches=launches), "mpich")


def waiting(*of):
    made = [summary_row(8, c_ns=800.0, delta=d, binding=b, verdict=v, **o) for b, d, v, o in of]
    return [a.text for a in answers(built_analysis(made)) if a.topic == "waiting"]


def tails(*of):
    """What is said of tails, and the typical time in the cell of each row."""
    made = [(summary_row(65536, c_ns=3000.0, delta=d, binding=b, payload="array"), p50) for b, d, p50 in of]
    analysis = built_analysis([row | {"p50_ns": p50} for row, p50 in made])
    return [one.text for one in answers(analysis) if one.topic == "tails"] + [
        f"{row.binding}: {cell(row).typical or NONE}" for row in rows_of(analysis)
    ]


def ran(binding, huge, total=8 * MIB, **other):
    fields = {"launch": 0, "stack": "mpich", "block": 0, "position": 0, "ranks": 2, "outcome": "ok"} | other
    return msgspec.convert(fields | {"binding": binding, "huge_bytes": huge, "buffer_bytes": total}, LaunchRecord)


def run_of(*launches, rows=(), pages="huge"):
    made = built_analysis(rows, launches=list(launches))
    return replace(made, run=msgspec.structs.replace(made.run, pages=pages))


def pages(*launches, **other):
    analysis = run_of(*launches, **other)
    return pages_sentence(analysis, "mpich", rows_of(analysis))


def clocks(error):
    return clocks_sentence(run_of(ran("c", 0, clock_error_ns=error)), "mpich")


def start(error):
    wrong = ran("mpi4py", 0, ready_ns=1, ready_error_ns=10**9, outcome="crashed")
    slower = ran("mpi4py", 0, ready_ns=170_000_000, ready_error_ns=error // 2)
    return start_sentence(run_of(ran("c", 0, ready_ns=100_000_000, ready_error_ns=error), slower, wrong), "mpich")


PLAIN = [
    summary_row(8, binding="c-pages", delta=3.0, verdict="not separated"),
    summary_row(65536, c_ns=4000, binding="c-pages", delta=3600, verdict="slower"),
    summary_row(MIB, c_ns=40000, binding="c-pages", delta=80000, verdict="slower"),
]
WHY = "rank 0 ran on far, whose clock could not be compared with that of here: far cannot be reached"
UNREADY, READY = ran("c", 0, unready=WHY), ran("c", 0, ready_ns=100_000_000)

FAILED = [
    launch(0),
    launch(1, outcome="crashed", detail="Rank 1 ended by signal 11"),
    launch(2, outcome="crashed"),
    launch(3, binding="c", outcome="timed out", load_average=17.2),
    launch(4, binding="c", outcome="unreadable"),
    launch(5, outcome="interrupted"),
    launch(6, outcome="not started", detail="the launcher could not start it on hostb: 'Launch proxy failed'"),
]
LOST = [launch(n, outcome="lost", detail="samples/000000.parquet is damaged") for n in range(7)]
DAMAGED = {"damaged_lines": [3, 9], "damaged_files": ["environment.json"]}
WRONG = [Refusal("bcast/standard/bytes/8", "byte 3 differs")]
SKIPPED = [Refusal(f"latency/ready/bytes/{size}", "no ready sends") for size in (8, 64)]
INVALID = [launch(0, invalid=WRONG), launch(1, invalid=WRONG, skipped=SKIPPED)]
NO_TYPE = [Refusal(f"{name}/standard/int/8", "a raw buffer has no type") for name in ("latency", "bcast")]

UNCHANGED = group()
SLOWER = group(benchmark="bcast", verdict="slower", change=1.5, rows_slower=10)
PARTLY = group(benchmark="gather", verdict="slower", change=1.004, rows_slower=1)
FASTER = group(benchmark="scatter", verdict="faster", change=0.8)
UNKNOWN = group(benchmark="startup", verdict="unknown", launches_needed=31)
HOPELESS = group(benchmark="barrier", verdict="unknown", launches_needed=None)
ELSEWHERE = group(stack="openmpi", verdict="slower", change=1.5, rows_slower=10)
DRIFTS = [
    group(binding=name, benchmark=benchmark, c_change=c_change)
    for name in ("a", "b")
    for benchmark, c_change in (("latency", 1.02), ("bcast", 0.7), ("gather", 1.3))
]


def answer(*groups):
    return changes.answer(comparison(*groups))


def only_c(change, c_change, **other):
    moved = group(verdict="slower" if change > 1 else "faster", change=change, c_change=c_change)
    return changes.reference_sentence(comparison(moved, UNCHANGED, **other))


def solver(binding, ratio, gain, edge=257, ranks=2):
    """A wave of C in 1 ms, and of a module in this many."""
    blocking, overlapped = Timed(1e6 * ratio, ratio), Timed(1e6 * ratio * (1 - gain), ratio)
    interval = None if binding == "c" else (ratio * 0.98, ratio * 1.02)
    gained = (gain - 0.01, gain + 0.01)
    size = problem_bytes(edge, 3)
    return Solved(binding, "wave", size, ranks, blocking, overlapped, gain, gained, interval, None, None, None)


def styles(*ratios, gain=0.0, edge=257):
    """C and as many modules, the first of which gains nothing."""
    modules = [solver(f"m{k}", ratio, gain if k else 0.0, edge) for k, ratio in enumerate(ratios)]
    return [solver("c", 1.0, 0.5, edge), *modules]


def few(found):
    return [replace(one, interval=None, gain_interval=None) for one in found]


SAID = {
    "latency, then not separated": lambda: say(
        "latency", series(FULL[:5]) + series(FULL[5:], "-", c_ns=10_000, delta=90)
    ),
    "latency at the largest size": lambda: say("latency", series(SMALL) + series([2**22], c_ns=35e4, delta=147e4)),
    "latency of one size": lambda: say("latency", series([8])),
    "latency, faster": lambda: say("latency", series(SMALL, "F", delta=-40)),
    "latency, faster at a middle size": lambda: say(
        "latency", series(SMALL) + series([8192], "F", c_ns=2000, delta=-200) + series([65536], c_ns=9000)
    ),
    "latency, mixed": lambda: say("latency", series([0, 64]) + series([8], "-") + series([1024], "F", delta=-30)),
    "latency, one middle size": lambda: say(
        "latency",
        series(SMALL, "-", delta=2) + series([8192], c_ns=2000, delta=400) + series(FULL[5:], "-", c_ns=9000, delta=5),
    ),
    "latency, not separated": lambda: say("latency", series(FULL, "-", delta=2)),
    "latency, ambiguous": lambda: say("latency", series(FULL, "-?------", delta=9)),
    "latency, too few launches": lambda: say("latency", series(FULL, "3", **FEW)),
    "latency, no counterpart": lambda: say(
        "latency", [summary_row(verdict="no counterpart", delta_to_c_ns=None, ratio_to_c=None)]
    ),
    "latency, objects like C": lambda: say(
        "latency", series(SMALL) + series([8], "-", payload="int") + series([24], "-", payload="dict")
    ),
    "latency, objects": lambda: say(
        "latency", series(SMALL) + series([8], delta=1400, payload="int") + series([24], delta=2000, payload="dict")
    ),
    "latency, other modes": lambda: say(
        "latency", series(SMALL) + series([8], delta=510, mode="synchronous") + series([8], delta=530, mode="ready")
    ),
    "latency, one mode, two sizes": lambda: say("latency", series(FULL) + series(FULL[1:6:4], mode="ready", delta=511)),
    "latency, one mode, many sizes": lambda: say("latency", series(FULL) + series(FULL[:5], mode="ready", delta=514)),
    **{f"latency {v}": lambda v=v: say("latency", series(FULL[:7], v)) for v in ("SSSS--S", "SSSS-S-", "SSS-SSS")},
    "faces": lambda: say("faces", FACES),
    "faces, contiguous": lambda: say("faces", [*FACES[:2], face("contiguous", delta=1, verdict="not separated")]),
    "faces, none": lambda: say("faces", series([8])),
    **{f"bandwidth {v}": lambda v=v: say("bandwidth", shares(v)) for v in ("S-S", "--S", "S-S-")},
    "collectives": lambda: say(
        "collectives", calls(("bcast", 500, "S"), ("allreduce", 900, "S"), ("barrier", 2, "-", "none"))
    ),
    "collectives of objects": lambda: say(
        "collectives",
        calls(("reduce", 500, "S", "float64"), ("allreduce", 900, "S", "array"), ("bcast", 2, "-", "dict")),
    ),
    **{
        f"large collectives {v}": lambda v=v: say("collectives", large_calls(v))
        for v in ("SFS-", "--F-", "----", "F", "-")
    },
    "start-up": lambda: say("startup", [BARRIER, IMPORT]),
    **{
        f"start-up, error {e}": lambda e=e: startup_answer("mpi4py", rows_of(built_analysis([BARRIER, IMPORT])), e)
        for e in (4_000_000, 41_000_000)
    },
    "memory": lambda: memory(2, 6, 31.4e6, 30e6, 40e6, 11.2e6),
    "memory of many ranks": lambda: memory(40, 6, 31.4e6, 30e6, 40e6, 11.2e6),
    "memory, unknown": lambda: memory(2, 6, 0.0, 0.0, 0.0, None),
    "noise": lambda: say("noise", NOISE, binding=""),
    "noise, unknown": lambda: say("noise", [summary_row()], binding=""),
    "label of a standard run": label,
    **{f"label {p}": lambda p=p: label(profile=p) for p in ("glance", "quick")},
    **{f"label, ended: {e}": lambda e=e: label(ended=e) for e in ("interrupted", "time limit", None)},
    "brief, small": lambda: brief(small_sentence, *series(SMALL)),
    "brief, small, faster": lambda: brief(small_sentence, *series(SMALL, "F", delta=-200)),
    "brief, one size": lambda: brief(small_sentence, summary_row(8)),
    "brief, small, mixed": lambda: brief(
        small_sentence, summary_row(0), same(8), summary_row(64), summary_row(1024, delta=-30, verdict="faster")
    ),
    "brief, small, not separated": lambda: brief(small_sentence, *map(same, SMALL)),
    "brief, small, too few": lambda: brief(small_sentence, *series(SMALL, "3", launches=3)),
    "brief, small, other payload": lambda: brief(small_sentence, summary_row(8, payload="float64")),
    "brief, large": lambda: brief(large_sentence, summary_row(MIB, c_ns=1000, delta=6700)),
    "brief, large, not separated": lambda: brief(large_sentence, summary_row(65536), same(MIB)),
    "brief, large, never separated": lambda: brief(large_sentence, same(65536), same(MIB)),
    "brief, bandwidth": lambda: brief(large_sentence, summary_row(MIB, c_ns=1000, delta=1000, benchmark="bandwidth")),
    "brief, bandwidth, not separated": lambda: brief(large_sentence, same(MIB, benchmark="bandwidth")),
    "brief, objects": lambda: brief(
        large_sentence, summary_row(24, payload="dict"), same(8, payload="array"), same(65536, payload="array")
    ),
    "brief, collectives": lambda: brief(calls_sentence, *calls(("bcast", 500, "S"), ("gather", 900, "S"))),
    "brief, collectives like C": lambda: brief(calls_sentence, *calls(("bcast", 5, "-"), ("gather", 9, "-"))),
    "brief, collectives, mixed": lambda: brief(calls_sentence, *calls(("bcast", 800, "S"), ("gather", -400, "F"))),
    "brief, one collective": lambda: brief(calls_sentence, *calls(("bcast", 800, "S"))),
    "brief, start-up": lambda: brief(calls_sentence, BARRIER),
    **{
        f"brief, start-up, {v}": lambda v=v, d=d: brief(
            calls_sentence, summary_row(0, c_ns=3e8, delta=d, verdict=v, mode="first-barrier", **STARTUP)
        )
        for v, d in (("faster", -6e7), ("not separated", 1))
    },
    "threads, the same": lambda: levels(c="single", mpi4py="single"),
    "threads, another": lambda: levels(c="single", mpi4py="multiple"),
    "threads, an arm of C": lambda: levels(
        c="single", mpi4py="multiple", **{"c-multiple": "multiple", "c-spin": "multiple"}
    ),
    "threads, two others": lambda: levels(
        c="single", mpi4py="multiple", polympi="serialized", **{"c-multiple": "multiple"}
    ),
    "waiting": lambda: waiting(
        ("c-spin", -320, "faster", {}),
        ("polympi", -270, "faster", {}),
        ("mpi4py", 500, "slower", {}),
        ("c-again", -10, "faster", {}),
        ("polympi-object", -100, "faster", {"payload": "int"}),
    ),
    "waiting, C alone": lambda: waiting(("c-spin", -320, "faster", {})),
    "waiting, no gain": lambda: waiting(("c-spin", 10, "not separated", {}), ("polympi", -50, "faster", {})),
    "waiting, no arm": lambda: waiting(("polympi", -50, "faster", {})),
    "tails": lambda: tails(("java", 97_000, 17_900.0), ("mpi4py", 2_000, 4_000.0)),
    "tails, none": lambda: tails(("mpi4py", 2_000, 40_000.0), ("java", 2_000, None)),
    "pages": lambda: pages(ran("c", 8 * MIB), ran("c-pages", 0), rows=PLAIN),
    "pages, given to all": lambda: pages(ran("c", 8 * MIB), ran("c-pages", 8 * MIB)),
    "pages, given to none": lambda: pages(ran("c", 0), ran("c-pages", 0)),
    "pages, a share": lambda: pages(ran("c", 2 * MIB)),
    "pages, plain": lambda: pages(ran("c", 0), pages="plain"),
    "pages, unknown": lambda: pages(ran("c", 0, 0)),
    **{f"clocks {e}": lambda e=e: clocks(e) for e in (0, 5200)},
    **{f"start {e}": lambda e=e: start(e) for e in (0, 200_000, 5_000_000)},
    "start, unknown": lambda: start_sentence(run_of(UNREADY, UNREADY), "mpich"),
    "start, once unknown": lambda: start_sentence(run_of(READY, UNREADY), "mpich"),
    "failed launches": lambda: failures(built_analysis(launches=FAILED)),
    "lost samples": lambda: failures(replace(built_analysis(launches=[*LOST, launch(7)]), **DAMAGED)),
    "withdrawn": lambda: failures(
        built_analysis(withdrawn={"mpich/mpi4py": "3 launches in a row failed; the last: it hung."})
    ),
    "invalid cases": lambda: failures(built_analysis(launches=INVALID)),
    "skipped cases": lambda: omissions(built_analysis(launches=INVALID)),
    "left out": lambda: omissions(built_analysis(left_out={"boost-mpi": "libboost-mpi-dev is not installed"})),
    "not covered": lambda: uncovered(built_analysis(not_covered={"mpi4py": NO_TYPE})),
    "change, slower": lambda: answer(UNCHANGED, SLOWER, PARTLY, UNKNOWN),
    "change, same": lambda: answer(UNCHANGED, UNCHANGED),
    "change, faster": lambda: answer(UNCHANGED, FASTER),
    "change, unknown": lambda: answer(UNCHANGED, FASTER, UNKNOWN),
    "change, needs too many launches": lambda: answer(HOPELESS),
    "change, some need too many": lambda: answer(UNKNOWN, HOPELESS),
    "change, on several stacks": lambda: answer(UNCHANGED, ELSEWHERE),
    "unknown and slower": lambda: changes.unknown_sentence(comparison(SLOWER, UNKNOWN)),
    "unknown alone": lambda: changes.unknown_sentence(comparison(UNKNOWN)),
    "slower alone": lambda: changes.unknown_sentence(comparison(SLOWER)),
    "drift of benchmarks": lambda: changes.drift_sentence(comparison(*DRIFTS)),
    "drift": lambda: changes.drift_sentence(comparison(group(c_change=1.25))),
    "drift, unknown": lambda: changes.drift_sentence(comparison(group(c_change=None))),
    "only C faster": lambda: only_c(1.4, 0.7),
    "only C slower": lambda: only_c(0.8, 1.25),
    "not only C": lambda: only_c(1.4, 1.0),
    "only C, of times": lambda: only_c(1.4, 0.7, absolute=True),
    "floor of a change": lambda: changes.floor_sentence(comparison(UNCHANGED)),
    "floor of a change, unknown": lambda: changes.floor_sentence(comparison(group(floor_ratio=None))),
    "styles, far below": lambda: statements(styles(3.0, 3.2), 2),
    "styles, as published": lambda: statements(styles(9.0, 12.0), 2),
    "styles, far above": lambda: statements(styles(11.0, 12.0), 2),
    "styles, different": lambda: statements(styles(3.0, 3.5), 2),
    "styles, overlapping": lambda: statements([replace(one, interval=(2.0, 5.0)) for one in styles(3.0, 3.5)], 2),
    "styles, gains": lambda: statements(styles(3.0, 3.1, 3.2, gain=0.05), 2),
    "styles, losses": lambda: statements(styles(3.0, 3.1, 3.2, gain=-0.05, edge=129), 2),
    "styles, too few launches": lambda: statements(few(styles(3.0, 3.5, 3.6, gain=0.05)), 2),
    "styles, shared processors": lambda: statements(
        [*styles(3.0, 3.2), *(solver(name, 20.0, 0.0, ranks=4) for name in ("c", "m0", "m1"))], 2
    ),
    "styles, none": lambda: statements([], 2),
}


def said(name):
    found = SAID[name]()
    return (found if found is None or isinstance(found, str) else " | ".join(found)) or NONE


def snapshot():
    return dict(line.split("\t") for line in SNAPSHOT.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("name", SAID)
def test_a_sentence_is_that_of_the_snapshot(name):
    assert said(name) == snapshot()[name]


def test_the_snapshot_has_no_other_sentences():
    assert list(snapshot()) == list(SAID)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), None])
def test_figures_that_do_not_exist_never_reach_a_sentence(value):
    none = {"delta_to_c_ns": value, "ratio_to_c": value}
    rows = [summary_row(s, mb_per_s=value, **none) for s in FULL]
    rows += [summary_row(s, benchmark="bandwidth", **none) for s in FULL]
    text = " ".join(a.text for a in answers(built_analysis(rows)))
    assert not {"nan", "inf", "None"} & set(text.replace(";", " ").split())
    assert brief(all_of_brief, *(row | {"delta_to_c_ns": None, "ratio_to_c": None} for row in rows[:4])) == NOTHING


def test_a_brief_always_has_three_sentences():
    said_of = brief(all_of_brief, summary_row(8), summary_row(8, benchmark="bcast"))
    assert [one in NOTHING for one in said_of] == [False, True, False]
    assert brief(all_of_brief) == NOTHING
    assert brief(first_of, summary_row(8, benchmark="bcast")) == brief(calls_sentence, *calls(("bcast", 520, "S")))
    assert brief(first_of) == ""


def test_the_level_of_every_arm_is_known():
    launches = [launch(0, binding="c", threads="single"), launch(1, binding="mpi4py", threads="multiple")]
    analysis = built_analysis([summary_row()], launches=launches)
    assert thread_levels(analysis, "mpich") == {"c": "single", "mpi4py": "multiple"}
    assert thread_levels(analysis, "openmpi") == {}
    assert [a.stack for a in answers(analysis) if a.topic == "threads"] == ["mpich"]


def test_crashed_launches_say_nothing_of_pages_and_failed_ones_are_listed():
    assert huge_share(run_of(ran("c", MIB, outcome="crashed")), "mpich", plain=False) is None
    assert [one.launch for one in failed_launches(built_analysis(launches=FAILED))] == [1, 2, 3, 4, 6]


@pytest.mark.parametrize(("factor", "text"), [(1.2, "+20 %"), (1.004, "+0.4 %"), (0.969, "−3.1 %"), (1.0, "+0.0 %")])
def test_a_factor_is_a_change_in_percent(factor, text):
    assert changes.relative(factor) == text


def test_launches_that_did_not_count_are_reported(tmp_path):
    analysis = analyse(make_run(tmp_path / "run", blocks=2, events=1, cases=[("barrier", "standard", "none", 0)]))
    assert changes.unused_launches("run", analysis) is None
    first, second, *others = analysis.launches
    crashed = [msgspec.structs.replace(launch, outcome="crashed") for launch in (first, second)]
    assert changes.unused_launches("run", replace(analysis, launches=[*crashed, *others])) == (
        "2 of 8 launches of 'run' did not count (2 crashed)."
    )


if __name__ == "__main__":
    SNAPSHOT.write_text("".join(f"{name}\t{said(name)}\n" for name in SAID), encoding="utf-8")
