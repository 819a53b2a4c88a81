"""The experiment: calibrate, then blocks of launches until every row has been measured often enough."""

from __future__ import annotations

import datetime
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from polympi import __version__
from polympi.lab.catalogue import WINDOW, Case
from polympi.lab.errors import StackError, UsageError
from polympi.lab.launch.launcher import Arm, Launched, Place, Setting, launch, planned_case
from polympi.lab.plan.schedule import block_order, case_order
from polympi.lab.run.calibrate import calibrate
from polympi.lab.run.figures import RunningFigures
from polympi.lab.run.request import Request, StackPlan
from polympi.lab.run.watcher import Progress, Watcher
from polympi.lab.samples.records import (
    REFERENCE,
    LaunchRecord,
    Outcome,
    PlannedCase,
    RowStop,
    RunRecord,
    StackRun,
)
from polympi.lab.samples.store import RunDirectory
from polympi.lab.statistics.stopping import stop_rule

FAILURES_BEFORE_WITHDRAWAL = 2  # in a row: one may be an accident, two are a habit that would cost every block its time


class Interrupted(Exception):  # noqa: N818 - it is what happened, not an error
    """Somebody asked the run to stop."""


class TimeIsUp(Exception):  # noqa: N818
    """The time limit of the run was reached within a launch."""


@dataclass
class _Arena:
    """One stack under way."""

    plan: StackPlan
    cases: dict[int, PlannedCase] = field(default_factory=dict)
    figures: RunningFigures = field(default_factory=RunningFigures)
    open_rows: set[tuple[str, int]] = field(default_factory=set)
    failures_in_a_row: Counter[str] = field(default_factory=Counter)
    withdrawn: dict[str, str] = field(default_factory=dict)
    blocks: int = 0

    @property
    def name(self) -> str:
        return self.plan.stack.name

    def next_cases(self, seed: int) -> dict[int, PlannedCase]:
        """The cases of the next block, in its order: those that a row of any binding still needs.

        A case stays in every arm's plan until the last of its rows is precise: dropping it from some arms would
        change what runs before and after it in those arms only.
        """
        needed = {number for _, number in self.open_rows}
        order = case_order(sorted(self.cases), self.blocks, seed, self.name)
        return {number: self.cases[number] for number in order if number in needed}

    def covered(self, binding: str, cases: dict[int, PlannedCase]) -> dict[int, PlannedCase]:
        """Those of the cases that a binding covers."""
        of_binding = set(self.plan.cases[binding])
        return {number: case for number, case in cases.items() if planned_case(case) in of_binding}


class Experiment:
    """A run under way, writing into its result directory.

    Args:
        request: what was asked.
        plans: what is possible of it, from :func:`polympi.lab.run.request.prepare`.
        directory: the result directory, already created with :meth:`record`.
        processors: CPUs this process may use.
        watcher: told of every step.
        asked_to_stop: asked about once a second; when it says so, the launch under way is ended and given up, and
            what was measured before it stays.
    """

    def __init__(
        self,
        request: Request,
        plans: list[StackPlan],
        directory: RunDirectory,
        *,
        processors: int,
        watcher: Watcher,
        asked_to_stop: Callable[[], bool] = lambda: False,
    ) -> None:
        self._request = request
        self._arenas = [_Arena(plan) for plan in plans]
        self._directory = directory
        self._watcher = watcher
        self._asked_to_stop = asked_to_stop
        self._folder = directory.path.absolute() / "launch"  # ranks may start in another directory
        self._setting = Setting(request.ranks, request.hostfile, processors, self._folder)
        self._rule = stop_rule(request.profile.minimum_blocks, request.profile.maximum_blocks)
        self._run = record(request, plans)
        self._launches = 0
        self._stops: list[RowStop] = []
        self._progress = Progress(blocks=request.profile.maximum_blocks)
        self._started = time.monotonic()
        self._block_seconds: list[float] = []

    def run(self) -> Outcome:
        """Measure; whatever ends it, what was measured is kept and how it ended is written.

        Raises:
            StackError: the reference does not run on a stack, so that there is nothing to compare with.
        """
        self._started = time.monotonic()
        self._folder.mkdir()
        ended = "failed"  # unless something better is known: whatever passes through is said by who catches it
        try:
            ended = self._measure()
        except TimeIsUp:
            ended = "time limit"
        except Interrupted:
            ended = "interrupted"
        finally:
            outcome = self._finish(ended)
        return outcome

    def _measure(self) -> str:
        for arena in self._arenas:
            self._calibrate(arena)
        while unfinished := [arena for arena in self._arenas if arena.open_rows]:
            for arena in unfinished:
                if not self._time_for_a_block():
                    return "time limit"
                self._block(arena)
        return "complete"

    def _calibrate(self, arena: _Arena) -> None:
        arena.cases, launched = calibrate(
            self._request.profile,
            arena.plan.all_cases(),
            lambda cases: self._launch_reference(arena, cases),
            crowded=self._request.ranks > self._setting.processors and self._request.hostfile is None,
        )
        if arena.plan.all_cases() and not arena.cases:
            raise UsageError(f"None of the cases can be measured on stack '{arena.name}': {_first_refusal(launched)}.")
        arena.open_rows = {
            (arm.name, number)
            for arm in arena.plan.arms
            for number, case in arena.cases.items()
            if planned_case(case) in arena.plan.cases[arm.name]
        } or {(arm.name, -1) for arm in arena.plan.arms}  # launch figures alone: rows without a case
        stack_run = next(s for s in self._run.stacks if s.stack == arena.name)
        stack_run.cases, stack_run.library = list(arena.cases.values()), launched.record.library
        self._directory.write_run(self._run)

    def _launch_reference(self, arena: _Arena, cases: dict[int, PlannedCase]) -> Launched:
        """Launch the reference outside the blocks.

        Raises:
            StackError: it does not run, so that there is nothing to compare with.
        """
        launched = self._launch(arena, arena.plan.arms[0], cases, None, 0)
        if launched.record.outcome != "ok":
            tail = f"\n{launched.record.stderr_tail}" if launched.record.stderr_tail else ""
            raise StackError(
                f"The C program does not run on stack '{arena.name}': {launched.record.detail}. "
                f"'polympi doctor' looks for the cause.{tail}"
            )
        return launched

    def _block(self, arena: _Arena) -> None:
        began = time.monotonic()
        seed, block = self._request.seed, arena.blocks
        of_block = arena.next_cases(seed)
        arms = {arm.name: arm for arm in arena.plan.arms}
        for position, name in enumerate(block_order(list(arms), block, seed, arena.name)):
            if name not in arena.withdrawn:
                cases = arena.covered(name, of_block)
                launched = self._launch(arena, arms[name], cases, block, position)
                self._take_in(arena, launched, cases)
        arena.blocks += 1
        self._block_seconds.append(time.monotonic() - began)
        self._stop_rows(arena)

    def _take_in(self, arena: _Arena, launched: Launched, cases: dict[int, PlannedCase]) -> None:
        name = launched.record.binding
        arena.figures.add(launched, cases)
        for arm in arena.plan.arms:  # all of them: a launch of C completes the pairs of those launched before it
            ratios = arena.figures.mean_ratios(arm.name, arena.plan.cases[arm.name])
            self._progress.ratios[arena.name, arm.name] = ratios
        for number in (*launched.samples.skipped, *launched.samples.invalid):
            arena.open_rows.discard((name, number))
        if launched.record.outcome == "ok":
            arena.failures_in_a_row[name] = 0
            return
        arena.failures_in_a_row[name] += 1
        self._progress.failures.append(f"{name} on {arena.name}, block {arena.blocks + 1}: {launched.record.detail}")
        if arena.failures_in_a_row[name] >= FAILURES_BEFORE_WITHDRAWAL:
            self._withdraw(arena, launched.record)

    def _withdraw(self, arena: _Arena, last: LaunchRecord) -> None:
        """Stop launching a binding that keeps failing; without the reference the whole stack ends."""
        arena.withdrawn[last.binding] = (
            f"{FAILURES_BEFORE_WITHDRAWAL} launches in a row failed; the last: {last.detail}"
        )
        gone = [last.binding] if last.binding != REFERENCE else [arm.name for arm in arena.plan.arms]
        arena.open_rows = {row for row in arena.open_rows if row[0] not in gone}

    def _stop_rows(self, arena: _Arena) -> None:
        """Ask the stop rule for every open row; a row that stopped may reopen while its case is still measured."""
        fired: dict[tuple[str, int], str] = {}
        for row in arena.open_rows:
            binding, number = row
            if number < 0:
                reason = self._rule.check([], [], arena.blocks)
            else:
                reason = arena.figures.stopped(self._rule, binding, planned_case(arena.cases[number]), arena.blocks)
            if reason is not None:
                fired[row] = reason
        for number in {n for _, n in arena.open_rows}:
            rows = [row for row in arena.open_rows if row[1] == number]
            if all(row in fired for row in rows):
                arena.open_rows.difference_update(rows)
                self._record_stops(arena, {row: fired[row] for row in rows})

    def _record_stops(self, arena: _Arena, fired: dict[tuple[str, int], str]) -> None:
        for (binding, number), reason in fired.items():
            if number >= 0:
                case = arena.cases[number]
                self._stops.append(_row_stop(arena, binding, planned_case(case), reason))

    def _launch(
        self, arena: _Arena, arm: Arm, cases: dict[int, PlannedCase], block: int | None, position: int
    ) -> Launched:
        progress = self._progress
        progress.stack, progress.block, progress.binding = arena.name, block, arm.name
        progress.benchmarks = Counter(case.benchmark for case in cases.values())
        progress.seconds_left = self._seconds_left()
        self._look_up()
        self._watcher.launching(progress)
        timeout_s, limited = self._request.profile.launch_timeout_s, False
        if (left := self._limit_left()) is not None and left < timeout_s:
            timeout_s, limited = max(left, 0.0), True
        launched = launch(
            Place(self._launches, block, position),
            arm,
            arena.plan.stack,
            cases,
            self._setting,
            timeout_s=timeout_s,
            on_tick=self._look_up,
        )
        if limited and launched.record.outcome == "timed out":
            launched.record.outcome, launched.record.detail = "interrupted", "the time limit of the run was reached"
        self._directory.append_launch(launched.record, launched.frame)
        self._launches += 1
        self._watcher.launched(progress, launched.record)
        if launched.record.outcome == "interrupted":
            raise TimeIsUp
        return launched

    def _look_up(self) -> None:
        self._watcher.tick(self._progress)
        if self._asked_to_stop():
            raise Interrupted

    def _limit_left(self) -> float | None:
        limit = self._request.time_limit_s
        return None if limit is None else self._started + limit - time.monotonic()

    def _time_for_a_block(self) -> bool:
        """Whether a whole block still fits into the time limit, judged by the longest so far."""
        left = self._limit_left()
        return left is None or left > max(self._block_seconds, default=0.0)

    def _seconds_left(self) -> float | None:
        """At most: as if every block took the mean time so far and none of the rows stopped early."""
        if not self._block_seconds:
            return self._limit_left()
        mean = sum(self._block_seconds) / len(self._block_seconds)
        blocks = sum(self._request.profile.maximum_blocks - arena.blocks for arena in self._arenas if arena.open_rows)
        estimate, limit = blocks * mean, self._limit_left()
        return estimate if limit is None else min(estimate, limit)

    def _finish(self, ended: str) -> Outcome:
        reason = {"interrupted": "interrupted", "time limit": "time-limit"}.get(ended, ended)
        for arena in self._arenas:
            open_rows = [row for row in arena.open_rows if row[0] not in arena.withdrawn]
            self._record_stops(arena, dict.fromkeys(open_rows, reason))
        outcome = Outcome(
            ended=ended,
            finished=_now(),
            blocks={arena.name: arena.blocks for arena in self._arenas},
            stops=self._stops,
            withdrawn={f"{a.name}/{name}": why for a in self._arenas for name, why in a.withdrawn.items()},
        )
        self._directory.write_outcome(outcome)
        for leftover in self._folder.glob("*"):
            leftover.unlink()
        self._folder.rmdir()
        return outcome


def _first_refusal(launched: Launched) -> str:
    refusals = [*launched.record.skipped, *launched.record.invalid]
    return f"{refusals[0].case}: {refusals[0].reason}" if refusals else "C measured none"


def record(request: Request, plans: list[StackPlan]) -> RunRecord:
    """What was asked, as ``run.json`` keeps it."""
    return RunRecord(
        polympi=__version__,
        created=_now(),
        command=list(request.command),
        profile=request.profile.name,
        seed=request.seed,
        ranks=request.ranks,
        hostfile=str(request.hostfile) if request.hostfile else None,
        time_limit_s=request.time_limit_s,
        window=WINDOW,
        minimum_blocks=request.profile.minimum_blocks,
        maximum_blocks=request.profile.maximum_blocks,
        stacks=[
            StackRun(
                stack=plan.stack.name,
                library=plan.stack.library,
                bindings=[arm.name for arm in plan.arms],
                languages={arm.name: arm.binding.language for arm in plan.arms},
                not_covered={name: refusals for name, refusals in plan.not_covered.items() if refusals},
                left_out=plan.left_out,
            )
            for plan in plans
        ],
    )


def _row_stop(arena: _Arena, binding: str, case: Case, reason: str) -> RowStop:
    return RowStop(
        stack=arena.name,
        binding=binding,
        benchmark=case.benchmark,
        mode=case.mode,
        payload=case.payload,
        size_bytes=case.size_bytes,
        stopped_by=reason,
        blocks=arena.blocks,
    )


def _now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
