"""At most one launch counts for each binding and block."""

from polympi.lab.records import LaunchRecord
from polympi.lab.samples.counting import mark_uncounted


def _record(launch: int, block: int | None, binding: str, attempt: int = 0, outcome: str = "ok") -> LaunchRecord:
    return LaunchRecord(
        launch=launch,
        stack="mpich",
        block=block,
        position=0,
        binding=binding,
        ranks=2,
        outcome=outcome,
        attempt=attempt,
    )


def _marked(records: list[LaunchRecord], gone: tuple[int, ...] = ()) -> list[str]:
    return [r.outcome for r in mark_uncounted(records, there=lambda record: record.launch not in gone)]


def test_whole_blocks_count() -> None:
    records = [_record(0, None, "c"), _record(1, 0, "c"), _record(2, 0, "mpi4py"), _record(3, 1, "c")]
    assert _marked(records) == ["ok"] * 4


def test_of_a_block_made_again_the_last_try_counts_however_little_of_it_there_is() -> None:
    records = [
        _record(0, 0, "c"), _record(1, 0, "mpi4py"), _record(2, 0, "polympi", outcome="interrupted"),
        _record(3, 0, "mpi4py", attempt=1),
    ]  # fmt: skip
    assert _marked(records) == ["repeated", "repeated", "repeated", "ok"]


def test_of_two_records_of_one_place_the_later_counts() -> None:
    assert _marked([_record(0, 0, "c"), _record(1, 0, "c")]) == ["repeated", "ok"]


def test_other_stacks_and_calibration_are_left_alone() -> None:
    other = _record(2, 0, "c", attempt=1)
    other.stack = "openmpi"
    assert _marked([_record(0, None, "c"), _record(1, 0, "c"), other]) == ["ok"] * 3


def test_samples_that_are_gone_matter_only_to_launches_that_count() -> None:
    records = [_record(0, None, "c"), _record(1, 0, "c"), _record(2, 1, "c", outcome="crashed")]
    assert _marked(records, gone=(0, 1, 2)) == ["ok", "lost", "crashed"]
