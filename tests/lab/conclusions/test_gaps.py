import dataclasses

from built import built_analysis, launch

from polympi.lab.conclusions.gaps import failed_launches, failures, omissions, uncovered
from polympi.lab.records import Refusal


def test_failed_launches_are_counted_and_explained():
    launches = [
        launch(0),
        launch(1, outcome="crashed", detail="Rank 1 ended by signal 11"),
        launch(2, outcome="crashed"),
        launch(3, binding="c", outcome="timed out", load_average=17.2),
        launch(4, binding="c", outcome="unreadable"),
        launch(5, outcome="interrupted"),
        launch(6, outcome="not started", detail="the launcher could not start it on hostb: 'Launch proxy failed'"),
    ]
    analysis = built_analysis(launches=launches)
    assert failures(analysis) == [
        "mpi4py on mpich: 2 of 5 launches crashed (launches 1 and 2): Rank 1 ended by signal 11.",
        "c on mpich: 1 of 2 launches timed out (launch 3). The load average was up to 17; where launches are slow and "
        "do not hang, --launch-timeout gives longer.",
        "c on mpich: 1 of 2 launches wrote a file that cannot be read (launch 4).",
        "mpi4py on mpich: 1 of 5 launches was not started (launch 6): the launcher could not start it on hostb: "
        "'Launch proxy failed'.",
    ]
    assert [one.launch for one in failed_launches(analysis)] == [1, 2, 3, 4, 6]


def test_what_was_lost_is_reported_and_counted():
    launches = [launch(n, outcome="lost", detail="samples/000000.parquet is damaged") for n in range(7)]
    analysis = dataclasses.replace(
        built_analysis(launches=[*launches, launch(7)]), damaged_lines=[3, 9], damaged_files=["environment.json"]
    )
    assert failures(analysis) == [
        "2 lines of launches.jsonl cannot be read (3 and 9): their launches do not count.",
        "environment.json cannot be read: the machine is not shown.",
        "mpi4py on mpich: 7 of 8 launches do not count, since the samples were lost "
        "(launches 0, 1, 2, 3, 4 and 2 more): samples/000000.parquet is damaged.",
    ]


def test_withdrawn_bindings_are_named_with_their_stack():
    analysis = built_analysis(withdrawn={"mpich/mpi4py": "3 launches in a row failed; the last: it hung."})
    assert failures(analysis) == ["mpi4py was withdrawn on mpich: 3 launches in a row failed; the last: it hung."]


def test_invalid_cases_are_failures_skipped_ones_are_not():
    wrong = [Refusal("bcast/standard/bytes/8", "byte 3 differs")]
    skipped = [Refusal("latency/ready/bytes/8", "no ready sends"), Refusal("latency/ready/bytes/64", "no ready sends")]
    analysis = built_analysis(launches=[launch(0, invalid=wrong), launch(1, invalid=wrong, skipped=skipped)])
    assert failures(analysis) == [
        "mpi4py on mpich failed validation in 1 case (bcast/standard/bytes/8): byte 3 differs; "
        "its figures there are not shown."
    ]
    assert omissions(analysis) == [
        "mpi4py on mpich skipped 2 cases (latency/ready/bytes/8 and latency/ready/bytes/64): no ready sends."
    ]


def test_uncovered_cases_and_left_out_bindings():
    reason = "a raw buffer has no type"
    analysis = built_analysis(
        left_out={"boost-mpi": "libboost-mpi-dev is not installed"},
        not_covered={"mpi4py": [Refusal("latency/standard/int/8", reason), Refusal("bcast/standard/int/8", reason)]},
    )
    assert omissions(analysis) == [
        "boost-mpi did not run on mpich: libboost-mpi-dev is not installed.",
    ]
    assert uncovered(analysis) == [
        "mpi4py on mpich does not cover 2 cases (latency and bcast): a raw buffer has no type.",
    ]
