"""The measurements of an interrupted run, read as if they were being made now.

The rule: a block is whole when every binding that runs has a launch in it that ended by itself, well or not, and
its samples are there. Whole blocks are never repeated. A block that is not whole is repeated as a whole: launches
of one block are compared with each other, and hours between them would be taken for an effect.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import polars as pl

from polympi.lab.catalogue import Case
from polympi.lab.launch.launcher import Launched, planned_case
from polympi.lab.protocol import LaunchSamples
from polympi.lab.records import NOT_STARTED, LaunchRecord, PlannedCase, Refusal
from polympi.lab.run.stack_state import StackState
from polympi.lab.samples.store import LostSamplesError, RunDirectory

_ENDED_BY_ITSELF = ("ok", "crashed", "timed out", "unreadable", NOT_STARTED)


def replay(state: StackState, directory: RunDirectory, launches: Sequence[LaunchRecord]) -> None:
    """Take in the whole blocks of a stack, in their order, and count the tries at the others."""
    tries: dict[int, int] = {}
    blocks: dict[int, dict[str, LaunchRecord]] = defaultdict(dict)
    for record in launches:
        if record.stack == state.name and record.block is not None:
            tries[record.block] = max(record.attempt + 1, tries.get(record.block, 0))
            if record.outcome in _ENDED_BY_ITSELF:
                blocks[record.block][record.binding] = record
    # Of each binding the last trial, if the calibration was interrupted and repeated.
    trials = {record.binding: record for record in launches if record.stack == state.name and record.block is None}
    for record in trials.values():
        if record.outcome in _ENDED_BY_ITSELF:
            state.count_failure(record)
    for block in sorted(tries):
        records = blocks[block]
        stored = _stored(directory, list(records.values()), state.cases)
        if stored is not None and {arm.name for arm in state.plan.arms} - state.withdrawn.keys() <= records.keys():
            for launched in stored:
                state.take_in(launched)
            state.end_block(block)
        else:
            state.attempts[block] = tries[block]
            for record in records.values():
                state.count_failure(record)  # two in a row withdraw a binding, even if the block was not completed
    for launch in directory.tool_launches():
        if launch.stack == state.name:
            state.count_failure(launch)


def _stored(
    directory: RunDirectory, records: Sequence[LaunchRecord], cases: Mapping[int, PlannedCase]
) -> list[Launched] | None:
    """The launches with what they measured; None if the samples of one cannot be read."""
    numbers = {planned_case(case): number for number, case in cases.items()}
    launches = []
    for record in records:
        samples = LaunchSamples()
        if record.outcome == "ok":
            try:
                samples.batches = _batches(directory.samples_of(record), numbers)
            except LostSamplesError:
                return None
        samples.skipped, samples.invalid = _refused(record.skipped, numbers), _refused(record.invalid, numbers)
        launches.append(Launched(record, samples, pl.DataFrame()))
    return launches


def _batches(frame: pl.DataFrame, numbers: Mapping[Case, int]) -> dict[int, list[int]]:
    times = frame.filter(pl.col("kind") == "batch").group_by(
        "benchmark", "mode", "payload", "size_bytes", maintain_order=True
    )
    return {numbers[Case(*key)]: rows["time_ns"].to_list() for key, rows in times if Case(*key) in numbers}


def _refused(refusals: Sequence[Refusal], numbers: Mapping[Case, int]) -> dict[int, str]:
    reasons = {refusal.case: refusal.reason for refusal in refusals}
    return {number: reasons[str(case)] for case, number in numbers.items() if str(case) in reasons}
