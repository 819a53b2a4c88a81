import pytest
from built import built_analysis, launch, summary_row

from polympi.lab.conclusions.overview import overview
from polympi.lab.conclusions.rows import rows_of
from polympi.lab.records import Refusal

ARMS = ("c", "c-again", "c-multiple", "mpi4py", "mpi4py-object")


def seen(rows, **options):
    analysis = built_analysis(rows, bindings=ARMS, **options)
    return overview(analysis, rows_of(analysis), "mpich")


def case(arms, size=8, **other):
    return [summary_row(size, binding=arm, **other) for arm in arms]


def columns(rows):
    return {column.topic: (column.what, column.size) for column in seen(rows).columns}


def test_five_cases_stand_for_all():
    rows = [row for size in (0, 8, 1024, 65536, 2**20) for row in case(ARMS, size)]
    rows += case(ARMS, 24, payload="dict")
    rows += case(ARMS, 8, benchmark="allgather")
    rows += case(ARMS, 0, benchmark="startup", mode="first-barrier", payload="none")
    assert columns(rows) == {
        "small": ("latency", "8 B"),
        "large": ("latency", "1 MiB"),
        "object": ("latency, dict", "24 B"),
        "collective": ("allgather", "8 B"),
        "startup": ("first barrier", ""),
    }


def test_a_large_message_is_the_largest_power_of_two_that_most_arms_have():
    rows = [row for size in (8, 65536, 100_000_000) for row in case(ARMS, size)]
    rows += case(("c", "mpi4py"), 2**22)
    assert columns(rows)["large"] == ("latency", "64 KiB")


def test_without_a_large_message_there_is_no_such_column():
    assert set(columns(case(ARMS, 8))) == {"small"}


def test_the_object_is_the_one_that_most_arms_have_and_then_a_dict():
    rows = case(ARMS, 8) + case(ARMS, 24, payload="dict")
    rows += [row for size in (8, 65536, 2**20) for row in case(ARMS, size, payload="array")]
    assert columns(rows)["object"] == ("latency, dict", "24 B")
    fewer = [row for row in rows if (row["payload"], row["binding"]) != ("dict", "mpi4py")]
    assert columns(fewer)["object"] == ("latency, array", "64 KiB")


def test_a_collective_that_holds_all_ranks_together_comes_first_among_those_that_most_arms_have():
    rows = case(ARMS, 8) + case(ARMS, 8, benchmark="bcast") + case(ARMS, 8, benchmark="alltoall")
    rows += case(("c", "mpi4py"), 8, benchmark="allreduce", payload="float64")
    assert columns(rows)["collective"] == ("alltoall", "8 B")
    assert columns(case(ARMS, 0, benchmark="barrier", payload="none"))["collective"] == ("barrier", "")


def test_a_run_of_something_else_has_it_in_the_columns():
    rows = [row for size in (8, 65536) for row in case(ARMS, size, benchmark="stream")]
    rows += case(ARMS, 0, benchmark="startup", mode="init", payload="none")
    assert columns(rows) == {
        "small": ("stream", "8 B"),
        "large": ("stream", "64 KiB"),
        "startup": ("MPI_Init_thread", ""),
    }


def test_what_came_out_never_chooses_a_column():
    rows = case(ARMS, 8, benchmark="bcast") + case(ARMS, 8, benchmark="allgather")
    slow = [row | {"ratio_to_c": 99.0} if row["benchmark"] == "bcast" else row for row in rows]
    assert columns(rows) == columns(slow)


def test_arms_of_c_are_separate_and_the_twin_of_c_is_left_out():
    found = seen(case(ARMS, 8))
    assert [arm.binding for arm in found.bindings] == ["mpi4py", "mpi4py-object"]
    assert [arm.binding for arm in found.arms_of_c] == ["c-multiple"]
    assert found.reference[0].binding == "c"


@pytest.mark.parametrize("where", ["not covered", "skipped", "nowhere"])
def test_a_cell_that_does_not_exist_says_why(where):
    refusal = Refusal("latency/standard/dict/24", "It sends buffers.")
    rows = case(ARMS, 8) + case([arm for arm in ARMS if arm != "mpi4py"], 24, payload="dict")
    found = seen(
        rows,
        not_covered={"mpi4py": [refusal]} if where == "not covered" else {},
        launches=[launch(0, skipped=[refusal])] if where == "skipped" else [],
    )
    spot = next(arm for arm in found.bindings if arm.binding == "mpi4py").spots[1]
    assert spot.row is None
    assert spot.reason == ("It sends buffers." if where != "nowhere" else "mpi4py was not measured in this case.")


def test_a_row_that_failed_its_check_says_why():
    refusal = Refusal("latency/standard/bytes/8", "byte 3 is wrong")
    broken = summary_row(8, binding="mpi4py", verdict="invalid", median_ns=None, ratio_to_c=None, delta_to_c_ns=None)
    found = seen([*case(("c", "mpi4py-object"), 8), broken], launches=[launch(0, invalid=[refusal])])
    spot = next(arm for arm in found.bindings if arm.binding == "mpi4py").spots[0]
    assert spot.row.verdict == "invalid"
    assert spot.reason == "byte 3 is wrong"
