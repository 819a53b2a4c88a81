"""Which launches of a directory can count: at most one for each binding and block, and none without its samples."""

from collections.abc import Callable, Sequence

import msgspec

from polympi.lab.records import NOT_STARTED, LaunchRecord

LOST = "lost"
REPEATED = "repeated"


def mark_uncounted(records: Sequence[LaunchRecord], *, there: Callable[[LaunchRecord], bool]) -> list[LaunchRecord]:
    """The records, as they were written, with the outcome of those that cannot count: ``lost`` or ``repeated``.

    Of a block that was repeated all earlier tries are ``repeated``, whole as they may be: launches of two tries are
    hours apart, and pairing them would take the drift between for an effect. Of two records of one binding in one try
    the later counts; the other one stays what it is if it was not started, of which a second launch is the answer.
    """
    last_try: dict[tuple[str, int], int] = {}
    last_record: dict[tuple[str, int, str], LaunchRecord] = {}
    for record in records:
        if record.block is not None:
            block = (record.stack, record.block)
            last_try[block] = max(record.attempt, last_try.get(block, 0))
            last_record[(*block, record.binding)] = record
    marked = []
    for record in records:
        if record.block is None:
            marked.append(record)
        elif record.attempt < last_try[record.stack, record.block] or (
            record is not last_record[record.stack, record.block, record.binding] and record.outcome != NOT_STARTED
        ):
            marked.append(msgspec.structs.replace(record, outcome=REPEATED, detail="the block was made again"))
        elif record.outcome == "ok" and not there(record):
            marked.append(mark_lost(record, f"its file samples/{record.launch:06d}.parquet is missing"))
        else:
            marked.append(record)
    return marked


def mark_lost(record: LaunchRecord, why: str) -> LaunchRecord:
    """The record of a launch of which the samples cannot be used."""
    return msgspec.structs.replace(record, outcome=LOST, detail=why)
