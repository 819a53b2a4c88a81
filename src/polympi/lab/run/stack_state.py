"""One stack of a run in progress: what is to be measured on it, what has been, and which rows still need more."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from polympi.lab.arms import REFERENCE
from polympi.lab.launch.launcher import Arm, Launched, planned_case
from polympi.lab.plan.calibration import at_most, with_counts
from polympi.lab.plan.schedule import block_order, case_order, joint_order
from polympi.lab.records import Counts, LaunchRecord, PlannedCase, RowStop, ToolLaunch
from polympi.lab.run.figures import RunningFigures
from polympi.lab.run.request import StackPlan
from polympi.lab.statistics.stopping import StopRule
from polympi.lab.tools.find import FoundTool

FAILURES_BEFORE_WITHDRAWAL = 2  # in a row: one may be an accident, two are a habit that would cost every block its time
LAUNCH_FIGURES_ALONE = -1  # the number of a row that stands for no case


@dataclass
class StackState:
    """The state of a run on one stack."""

    plan: StackPlan  # what is to be done on the stack
    rule: StopRule  # when a row has been measured often enough
    seed: int  # of all random orders
    # By their numbers in the plans, once calibration has chosen their counts.
    cases: dict[int, PlannedCase] = field(default_factory=dict)
    # Of slow bindings the cases in which they make fewer iterations, once their trials have shown it.
    slow: dict[str, dict[int, Counts]] = field(default_factory=dict)
    answered: bool = False  # whether the reference has measured anything
    needed_s: float = 0.0  # seconds that a launch of the reference takes, once calibration has shown it
    figures: RunningFigures = field(default_factory=RunningFigures)  # what has been measured so far
    open_rows: set[tuple[str, int]] = field(default_factory=set)  # binding and case of the rows that still need blocks
    withdrawn: dict[str, str] = field(default_factory=dict)  # bindings and tools that are no longer launched, and why
    done: set[int] = field(default_factory=set)  # the blocks that are whole
    attempts: Counter[int] = field(default_factory=Counter)  # how often a block was begun and interrupted before
    stops: list[RowStop] = field(default_factory=list)  # which rule ended each row
    failures: list[str] = field(default_factory=list)  # launches that failed, a sentence each
    _failures_in_a_row: Counter[str] = field(default_factory=Counter)

    @property
    def name(self) -> str:
        """The name of the stack in records and samples."""
        return self.plan.name

    def begin(self, cases: dict[int, PlannedCase]) -> None:
        """Open the rows of the cases; with none, rows of the launch figures alone."""
        self.cases = cases
        self.open_rows = {
            (arm.name, number)
            for arm in self.plan.arms
            for number, case in cases.items()
            if planned_case(case) in self.plan.cases[arm.name]
        } or {(arm.name, LAUNCH_FIGURES_ALONE) for arm in self.plan.arms}

    def next_block(self) -> int:
        """The first block that is not whole."""
        return next(block for block in range(len(self.done) + 1) if block not in self.done)

    @property
    def parts(self) -> dict[str, Arm | FoundTool]:
        """The arms and the tools of a block by name, also those that were withdrawn."""
        taking_part: list[Arm | FoundTool] = [*self.plan.arms, *self.plan.tools]
        return {part.name: part for part in taking_part}

    def cases_of(self, block: int) -> dict[int, PlannedCase]:
        """The cases of a block, in its order: those that a row of any binding still needs.

        A case stays in every arm's plan until the last of its rows is precise: dropping it from some arms would
        change what runs before and after it in those arms only.
        """
        needed = {number for _, number in self.open_rows}
        order = case_order(sorted(self.cases), block, self.seed, self.plan.stack.name)  # the same at all levels
        return {number: self.cases[number] for number in order if number in needed}

    def covered(self, binding: str, cases: dict[int, PlannedCase]) -> dict[int, PlannedCase]:
        """Those of the cases that a binding covers, with the iterations that its trial and its manifest allow."""
        of_binding, slow = set(self.plan.cases[binding]), self.slow.get(binding, {})
        most = next(arm.binding.entry.most_iterations for arm in self.plan.arms if arm.name == binding)
        found = {}
        for number, case in cases.items():
            if planned_case(case) in of_binding:
                own = with_counts(case, slow.get(number))
                found[number] = at_most(own, most) if most else own
        return found

    def sizes_for(self, found: FoundTool, cases: dict[int, PlannedCase]) -> list[int]:
        """The sizes of those of the cases that a tool measures, too, ascending."""
        planned = {planned_case(case) for case in cases.values()}
        return sorted(case.size_bytes for case in self.plan.cases_of(found.tool) if case in planned)

    def take_in(self, launched: Launched) -> None:
        """Take in a launch of a block: its figures, the cases it refused, and whether it failed."""
        self.figures.add(launched, self.covered(launched.record.binding, self.cases))
        for number in (*launched.samples.skipped, *launched.samples.invalid):
            self.open_rows.discard((launched.record.binding, number))
        self.count_failure(launched.record)

    def count_failure(self, record: LaunchRecord | ToolLaunch) -> None:
        """Note whether a launch failed; a binding or a tool that keeps failing is withdrawn."""
        name = record.tool if isinstance(record, ToolLaunch) else record.binding
        if record.outcome == "ok":
            self._failures_in_a_row[name] = 0
            return
        self._failures_in_a_row[name] += 1
        where = "trial" if record.block is None else f"block {record.block + 1}"
        self.failures.append(f"{name} on {self.name}, {where}: {record.detail}")
        if self._failures_in_a_row[name] >= FAILURES_BEFORE_WITHDRAWAL:
            self._withdraw(name, record.detail)

    def fails(self, name: str) -> bool:
        """Whether the last launch of a binding or a tool failed."""
        return self._failures_in_a_row[name] > 0

    def end_block(self, block: int) -> None:
        """A block is whole: ask the stop rule for every open row."""
        self.done.add(block)
        self._stop_rows()

    def end_rows(self, reason: str) -> None:
        """The run ends: rows that are still open stopped for this reason."""
        self._record_stops({row: reason for row in self.open_rows if row[0] not in self.withdrawn})

    def _withdraw(self, name: str, last: str) -> None:
        """Stop launching what keeps failing; without the reference the whole stack ends."""
        self.withdrawn[name] = f"{FAILURES_BEFORE_WITHDRAWAL} launches in a row failed; the last: {last}"
        gone = [name] if name != REFERENCE else [arm.name for arm in self.plan.arms]
        self.open_rows = {row for row in self.open_rows if row[0] not in gone}

    def _stop_rows(self) -> None:
        """Close the cases of which every open row has stopped; till then a row that stopped may open again."""
        fired: dict[tuple[str, int], str] = {}
        for row in self.open_rows:
            binding, number = row
            if number == LAUNCH_FIGURES_ALONE:
                reason = self.rule.check([], [], len(self.done))
            else:
                reason = self.figures.stopped(self.rule, binding, planned_case(self.cases[number]), len(self.done))
            if reason is not None:
                fired[row] = reason
        for number in {n for _, n in self.open_rows}:
            rows = [row for row in self.open_rows if row[1] == number]
            if all(row in fired for row in rows):
                self.open_rows.difference_update(rows)
                self._record_stops({row: fired[row] for row in rows})

    def _record_stops(self, fired: dict[tuple[str, int], str]) -> None:
        for (binding, number), reason in fired.items():
            if number != LAUNCH_FIGURES_ALONE:
                case = self.cases[number]
                self.stops.append(
                    RowStop(
                        stack=self.name,
                        binding=binding,
                        benchmark=case.benchmark,
                        mode=case.mode,
                        payload=case.payload,
                        size_bytes=case.size_bytes,
                        stopped_by=reason,
                        blocks=len(self.done),
                    )
                )


def launches_of_block(states: Sequence[StackState], block: int) -> list[tuple[StackState, Arm | FoundTool]]:
    """The launches of a block on one stack or on several, in their order, without what was withdrawn before it."""
    by_name = {state.name: state for state in states}
    if len(states) == 1:
        [only] = states
        order = [(only.name, part) for part in block_order(list(only.parts), block, only.seed, only.name)]
    else:
        order = joint_order({state.name: list(state.parts) for state in states}, block, states[0].seed)
    launches = [(by_name[stack], part) for stack, part in order]
    return [(state, state.parts[part]) for state, part in launches if part not in state.withdrawn]
