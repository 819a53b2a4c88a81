"""The experiment: calibrate, then blocks of launches until every row has been measured often enough."""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from polympi.lab.catalogue import Case
from polympi.lab.cluster.cluster import sent_since
from polympi.lab.cluster.host import Traffic
from polympi.lab.cluster.hostfile import hostfile_text, read_hostfile, room_for
from polympi.lab.demand.record import Recorded, record_demands, recordable
from polympi.lab.errors import StackError, UsageError
from polympi.lab.launch.host_clock import HostClocks
from polympi.lab.launch.launcher import Arm, Launched, Place, Setting, launch, planned_case
from polympi.lab.plan.calibration import fewer_iterations, same_counts, trial_plan
from polympi.lab.plan.placement_names import ONE_CORE
from polympi.lab.plan.placements import placed_hosts, placement_arguments, topology_of, what_differs
from polympi.lab.plan.profiles import LONGEST_LAUNCH_S
from polympi.lab.plan.schedule import stack_order
from polympi.lab.records import AGAIN, NOT_STARTED, REFERENCE, Finding, LaunchRecord, Outcome, PlannedCase
from polympi.lab.run.asked import now
from polympi.lab.run.calibrate import Calibration, calibrate, fitting
from polympi.lab.run.estimate import block_seconds
from polympi.lab.run.patience import got_on, launch_seconds, needed_after_time_out, needed_seconds, timed_out_sentence
from polympi.lab.run.replay import replay
from polympi.lab.run.request import Request, StackPlan
from polympi.lab.run.stack_state import StackState, launches_of_block
from polympi.lab.run.stopped import HostLost, Interrupted, TimeIsUp, stopped_from_outside
from polympi.lab.run.watcher import Progress, Watcher
from polympi.lab.samples.store import RunDirectory
from polympi.lab.statistics.stopping import StopRule
from polympi.lab.survey.reach import way_to
from polympi.lab.tools.find import FoundTool
from polympi.lab.tools.launch import launch_tool

BEFORE_A_SECOND_TRY_S = 1.0  # for what refused: sshd with too many that log in at once, a daemon whose port is held
_PLACE_YOURSELF = "If the launcher cannot do that, leave --placement out, and place ranks with --launcher-args."


class Experiment:
    """A run in progress, writing into its result directory; its watcher is notified of every step.

    What the directory holds already is taken in first, so that an interrupted run continues where it was. It is asked
    about once a second whether to stop; then the launch in progress is ended and given up, and what was measured before
    it stays.
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
        rule = StopRule(request.profile.minimum_blocks, request.profile.maximum_blocks)
        self._request = request
        self._states = [StackState(plan, rule, request.seed) for plan in plans]
        self._directory = directory
        self._watcher = watcher
        self._asked_to_stop = asked_to_stop
        self._folder = directory.path.absolute() / "launch"  # ranks may start in another directory
        self._slots = dict.fromkeys(request.launching.hosts, 1)  # of a job: as evenly as it goes
        if request.hostfile is not None:
            self._slots = read_hostfile(request.hostfile)
        self._topology = topology_of(directory.environment().metadata) if request.all_here else None
        self._clocks = HostClocks(self._slots, lambda: way_to(request.cluster, None))
        self._settings = {
            plan.name: Setting(
                plan.ranks,
                self._hostfile(plan),
                processors,
                self._folder,
                request.pages,
                plan.name,
                request.cluster,
                arguments=self._arguments(plan),
                carried=request.launching.carried,
                clocks=self._clocks,
            )
            for plan in plans
        }
        self._processors = processors
        self._run = directory.run()
        self._launches = directory.next_launch()
        self._progress = Progress(blocks=request.profile.maximum_blocks)
        self._started = time.monotonic()
        self._block_seconds: list[float] = []
        self._launch_seconds: dict[str, list[float]] = defaultdict(list)
        self._longest_seconds: dict[str, float] = defaultdict(float)  # of a launch, calibrating or interrupted ones too
        launches = directory.launches()
        self._calibrated = {state.name for state in self._states if self._restore(state, launches)}

    def run(self) -> Outcome:
        """Measure, and keep the results and the way it ended; StackError if there is no reference to compare with."""
        self._started = time.monotonic()
        self._folder.mkdir(exist_ok=True)  # a run that was killed has left its own
        self._write_hostfiles()
        before = self._request.cluster.traffic() if self._request.cluster else {}
        ended, detail = "failed", ""  # unless something better is known; an exception is reported where it is caught
        try:
            with self._clocks:
                ended = self._measure()
        except TimeIsUp:
            ended = "time limit"
        except Interrupted:
            ended = "interrupted"
        except HostLost as lost:
            ended, detail = "host lost", str(lost)
        finally:
            outcome = self._finish(ended, detail, before)
        return outcome

    def seconds_a_block(self) -> float:
        """How long a block of all stacks takes: from the launches seen, at least as the rule says.

        A launch that calibrates does less than one of a block, so that it is a lower bound where no other was seen.
        """
        total = 0.0
        for state in self._states:
            seen = self._launch_seconds[state.name]
            a_launch = sum(seen) / len(seen) if seen else self._longest_seconds[state.name]
            total += max(block_seconds(state.plan, self._request.profile), len(state.plan.arms) * a_launch)
        return max([total, *self._block_seconds])

    def _arguments(self, plan: StackPlan) -> list[str]:
        placed = placement_arguments(plan.level.placement, plan.stack.understands, plan.ranks, self._topology)
        return [*placed, *plan.level.arguments]

    def _hostfile(self, plan: StackPlan) -> Path | None:
        """The host file of a plan; at a placement, of a cluster or a job one that we write for the launcher."""
        ours = self._request.cluster is not None or self._request.launching.hosts or plan.level.placement
        if not self._slots or not ours:
            return self._request.hostfile
        name = "-".join(filter(None, (plan.stack.hostfile_of, str(plan.ranks), plan.level.placement)))
        return self._folder / f"{name}.hosts"

    def _write_hostfiles(self) -> None:
        for plan in (state.plan for state in self._states):
            file, placement = self._hostfile(plan), plan.level.placement
            if file is not None and file != self._request.hostfile:
                slots = placed_hosts(placement, plan.stack.understands, self._slots, plan.ranks)
                slots = slots if placement else room_for(plan.ranks, slots)
                file.write_text(hostfile_text(plan.stack.hostfile_of, slots), encoding="ascii")

    def _restore(self, state: StackState, launches: Sequence[LaunchRecord]) -> bool:
        """Take in what the directory holds of a stack; whether its calibration is done."""
        recorded = next(stack for stack in self._run.stacks if stack.stack == state.name)
        begun = any(record.stack == state.name and record.block is not None for record in launches)
        if not recorded.cases and not begun:  # launch figures alone have no case, but blocks
            return False
        state.begin(dict(enumerate(recorded.cases)))
        state.slow = recorded.slow
        walls = [
            one.wall_ns for one in launches if (one.stack, one.binding, one.outcome) == (state.name, REFERENCE, "ok")
        ]
        state.needed_s = max(walls, default=0) / 1e9
        replay(state, self._directory, launches)
        self._progress.failures += state.failures
        self._update_ratios(state)
        return True

    def _measure(self) -> str:
        self._calibrate([state for state in self._states if state.name not in self._calibrated])
        if self._request.records_demands:
            self._record_demands()
        while unfinished := [state for state in self._states if state.open_rows]:
            for states in self._next_blocks(unfinished):
                if not self._time_for_a_block():
                    return "time limit"
                self._block(states)
        return "complete"

    def _next_blocks(self, unfinished: Sequence[StackState]) -> list[list[StackState]]:
        """The stacks on which the next block is made: those with the same number of ranks together.

        It is the first block that any of them lacks: one that stayed behind when a run was interrupted comes first, and
        then blocks of the same number are made side by side again.
        """
        block = min(state.next_block() for state in unfinished)
        behind = _by_ranks([state for state in unfinished if state.next_block() == block])
        return stack_order(behind, block, self._request.seed) if len(self._request.ranks) > 1 else behind

    def _calibrate(self, states: Sequence[StackState]) -> None:
        """Choose the iterations on each of these stacks: the same at all levels of one, where they allow it."""
        found = {state.name: self._calibration(state) for state in states}
        for state in states:
            alike = [one for one in self._states if _of_one_stack(one, state)]
            cases = {one.name: found[one.name].cases if one.name in found else one.cases for one in alike}
            planned = {name: list(numbered.values()) for name, numbered in cases.items()}
            own = found[state.name]
            state.begin(dict(enumerate(same_counts(planned)[state.name])))
            state.needed_s = sum(needed_seconds(state.cases, own.reference_ns).values())
            if own.cases:
                self._try_bindings(state, own.reference_ns, oversubscribed=self._oversubscribed(state))
            stack_run = next(s for s in self._run.stacks if s.stack == state.name)
            stack_run.cases, stack_run.library = list(state.cases.values()), own.launched.record.library
            stack_run.slow = state.slow
            stack_run.left_out = {**stack_run.left_out, **own.left_out}
            self._directory.write_run(self._run)

    def _record_demands(self) -> None:
        """Record what each arm asks of MPI, in launches that are not timed; what can't be recorded is reported."""
        found = self._directory.demands()
        known = {(demand.stack, demand.binding) for demand in found}
        base = self._states[0].plan.level
        for state in (state for state in self._states if state.plan.level == base):
            for arm in state.plan.arms:
                cases = recordable([planned_case(case) for case in state.covered(arm.name, state.cases).values()])
                if not cases or arm.name == AGAIN or (state.name, arm.name) in known or state.fails(arm.name):
                    continue
                recorded = self._recorded(state, arm, cases)
                if recorded.problem:
                    text = f"what {arm.name} on {state.name} asks of MPI was not recorded: {recorded.problem}"
                    self._watcher.reported(text)
                found += recorded.demands
        self._directory.write_demands(found)

    def _recorded(self, state: StackState, arm: Arm, cases: Sequence[Case]) -> Recorded:
        timeout_s = self._request.launch_timeout_s or launch_seconds(self._usual_s(state), state.needed_s)
        place, setting = Place(self._launches), self._settings[state.name]
        return record_demands(place, arm, state.plan.stack, cases, setting, timeout_s=timeout_s, on_tick=self._look_up)

    def _calibration(self, state: StackState) -> Calibration:
        cases = state.plan.all_cases()
        found = calibrate(
            self._request.profile,
            cases,
            lambda planned: self._launch_reference(state, planned),
            oversubscribed=self._oversubscribed(state),
        )
        if differs := what_differs(state.plan.level.placement, found.launched.record.places, self._topology):
            text = f"on {state.name}, {differs}."
            self._watcher.found(Finding("warning", "Not placed as asked", text, _PLACE_YOURSELF))
        found = fitting(found, self._usual_s(state), self._request.launch_timeout_s or LONGEST_LAUNCH_S)
        for case, reason in found.left_out.items():
            text = f"{case} is left out on {state.name}: {reason}."
            self._watcher.found(Finding("warning", "Too slow", text, "Everything else is measured."))
        if cases and not found.cases:
            refusal = next(iter(found.left_out.values()), None) or _first_refusal(found.launched)
            raise UsageError(f"None of the cases can be measured on stack '{state.name}': {refusal}.")
        return found

    def _oversubscribed(self, state: StackState) -> bool:
        return state.plan.ranks > self._processors_of(state) and self._request.all_here

    def _processors_of(self, state: StackState) -> int:
        return 1 if state.plan.level.placement == ONE_CORE else self._processors

    def _try_bindings(self, state: StackState, reference_ns: Mapping[int, float], *, oversubscribed: bool) -> None:
        """A trial launch of each binding, which shows where it is slow; a failed one shows only that."""
        for arm in state.plan.arms:
            if arm.name in (REFERENCE, AGAIN):  # their iterations are those of the calibration
                continue
            planned = state.covered(arm.name, state.cases)
            launched = self._launch(state, arm, trial_plan(planned), None, 0)
            state.count_failure(launched.record)
            fewer = fewer_iterations(
                self._request.profile, planned, reference_ns, launched.samples.batches, oversubscribed=oversubscribed
            )
            if fewer:
                state.slow[arm.name] = fewer

    def _launch_reference(self, state: StackState, cases: dict[int, PlannedCase]) -> Launched:
        """Launch the reference outside the blocks, again if it times out before a case is finished; or StackError."""
        launched = self._launch(state, state.plan.arms[0], cases, None, 0)
        if launched.cut and not got_on(launched):
            self._watcher.reported(f"C on {state.name}: {launched.record.detail}; once more")
            launched = self._launch(state, state.plan.arms[0], cases, None, 0)
        record = launched.record
        if record.outcome == "ok" or got_on(launched):
            state.answered = True
            return launched
        if launched.cut and launched.cut.last_case is not None and state.answered:
            return launched  # that case is too slow
        tail = f"\n{record.stderr_tail}" if record.stderr_tail else ""
        if launched.cut:
            here = state.plan.ranks if self._request.all_here else 0
            why = timed_out_sentence(state.name, record.detail, self._usual_s(state), here)
            raise StackError(f"{why}{tail}")
        raise StackError(
            f"The C program does not run on stack '{state.name}': {record.detail}. {self._what_to_do(state)}{tail}"
        )

    def _what_to_do(self, state: StackState) -> str:
        if placement := state.plan.level.placement:
            words = " ".join(self._settings[state.name].arguments)
            return f"Its launcher was asked for the placement '{placement}' by '{words}'. {_PLACE_YOURSELF}"
        return "'polympi doctor' looks for the cause."

    def _block(self, states: Sequence[StackState]) -> None:
        """Make the same block on all of these stacks, their launches interleaved."""
        began, block = time.monotonic(), states[0].next_block()
        cases = {state.name: state.cases_of(block) for state in states}
        for position, (state, part) in enumerate(launches_of_block(states, block)):
            failures = len(state.failures)
            if isinstance(part, FoundTool):
                self._launch_tool(state, part, state.sizes_for(part, cases[state.name]), block, position)
            else:
                launched = self._launch(state, part, state.covered(part.name, cases[state.name]), block, position)
                self._launch_seconds[state.name].append(launched.record.wall_ns / 1e9)
                state.take_in(launched)
            self._progress.failures += state.failures[failures:]
        for state in states:
            state.end_block(block)
            self._update_ratios(state)
        self._block_seconds.append(time.monotonic() - began)

    def _update_ratios(self, state: StackState) -> None:
        """The ratios for the watcher, of whole blocks: pairing all launches after each would take longer than some."""
        for arm in state.plan.arms:
            ratios = state.figures.mean_ratios(arm.name, state.plan.cases[arm.name])
            self._progress.ratios[state.name, arm.name] = ratios

    def _launch(
        self, state: StackState, arm: Arm, cases: dict[int, PlannedCase], block: int | None, position: int
    ) -> Launched:
        """Launch an arm: a second time where the launcher did not reach a host, of which no binding is to blame."""
        launched = self._launch_once(state, arm, cases, block, position)
        if launched.record.outcome != NOT_STARTED:
            return launched
        time.sleep(BEFORE_A_SECOND_TRY_S)
        return self._launch_once(state, arm, cases, block, position)

    def _launch_once(
        self, state: StackState, arm: Arm, cases: dict[int, PlannedCase], block: int | None, position: int
    ) -> Launched:
        timeout_s, limited = self._begin_launch(state, arm.name, Counter(c.benchmark for c in cases.values()), block)
        launched = launch(
            Place(self._launches, block, position),
            arm,
            state.plan.stack,
            cases,
            self._settings[state.name],
            timeout_s=timeout_s,
            on_tick=self._look_up,
        )
        stopped = self._stopped(launched.record.outcome, limited=limited)
        if stopped:
            lost = "the run lost a host: " * isinstance(stopped, HostLost)
            launched.record.outcome, launched.record.detail = "interrupted", f"{lost}{stopped}"
        launched.record.attempt = 0 if block is None else state.attempts[block]
        if launched.record.outcome == "timed out" and block is not None and arm.name in (REFERENCE, AGAIN):
            state.needed_s = needed_after_time_out(timeout_s)
        longest, seconds = self._longest_seconds[state.name], launched.record.wall_ns / 1e9
        self._longest_seconds[state.name] = max(longest, seconds)
        self._directory.append_launch(launched.record, launched.frame)
        self._launches += 1
        self._watcher.launched(self._progress, launched.record)
        if stopped:
            raise stopped
        return launched

    def _launch_tool(self, state: StackState, found: FoundTool, sizes: list[int], block: int, position: int) -> None:
        """Launch a third-party tool, unless none of its cases is still measured."""
        if not sizes:
            return
        timeout_s, limited = self._begin_launch(state, found.name, {found.tool.benchmark: len(sizes)}, block)
        record = launch_tool(
            Place(self._launches, block, position),
            found,
            state.plan.stack,
            sizes,
            self._settings[state.name],
            timeout_s=timeout_s,
            on_tick=self._look_up,
        )
        if stopped := self._stopped(record.outcome, limited=limited):
            raise stopped
        record.attempt = state.attempts[block]
        self._directory.append_tool(record)
        state.count_failure(record)

    def _stopped(self, outcome: str, *, limited: bool) -> Exception | None:
        """What has ended a launch with this outcome, if not itself; `limited` if its time-out was that of the run."""
        if outcome == "ok":
            return None
        if limited and outcome == "timed out":
            return TimeIsUp("the time limit of the run was reached")
        return stopped_from_outside(self._asked_to_stop, self._request.cluster, list(self._slots))

    def _begin_launch(
        self, state: StackState, name: str, benchmarks: Mapping[str, int], block: int | None
    ) -> tuple[float, bool]:
        """Tell the watcher of a launch; return its time-out in seconds, and whether the limit of the run is nearer."""
        progress = self._progress
        progress.stack, progress.block, progress.binding = state.name, block, name
        progress.benchmarks = benchmarks
        progress.seconds_left = self._seconds_left()
        self._look_up()
        self._watcher.launching(progress)
        timeout_s = self._request.launch_timeout_s or launch_seconds(self._usual_s(state), state.needed_s)
        left = self._limit_left()
        return (timeout_s, False) if left is None or left >= timeout_s else (max(left, 0.0), True)

    def _usual_s(self, state: StackState) -> float:
        """Seconds after which a launch is ended, unless the reference needs long."""
        here = state.plan.ranks if self._request.all_here else 1
        usual_s = self._request.profile.timeout_s(here, self._processors_of(state))
        return self._request.launch_timeout_s or usual_s

    def _look_up(self) -> None:
        self._watcher.tick(self._progress)
        if self._asked_to_stop():
            raise Interrupted
        if self._request.cluster and (lost := self._request.cluster.what_is_lost()):
            raise HostLost(lost)

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
        unfinished = _by_ranks([state for state in self._states if state.open_rows])
        blocks = sum(
            self._request.profile.maximum_blocks - min(len(state.done) for state in together) for together in unfinished
        )
        estimate, limit = blocks * mean, self._limit_left()
        return estimate if limit is None else min(estimate, limit)

    def _finish(self, ended: str, detail: str, before: Mapping[str, Traffic]) -> Outcome:
        reason = {"host lost": "interrupted", "time limit": "time-limit"}.get(ended, ended)
        for state in self._states:
            state.end_rows(reason)
        outcome = Outcome(
            ended=ended,
            finished=now(),
            detail=detail,
            sent_bytes=sent_since(before, self._request.cluster.traffic()) if self._request.cluster else {},
            blocks={state.name: len(state.done) for state in self._states},
            stops=[stop for state in self._states for stop in state.stops],
            withdrawn={f"{state.name}/{arm}": why for state in self._states for arm, why in state.withdrawn.items()},
        )
        self._directory.write_outcome(outcome)
        for leftover in self._folder.glob("*"):
            leftover.unlink()
        self._folder.rmdir()
        return outcome


def _of_one_stack(one: StackState, other: StackState) -> bool:
    """Whether they differ in their levels alone."""
    return (one.plan.stack.name, one.plan.ranks) == (other.plan.stack.name, other.plan.ranks)


def _by_ranks(states: Sequence[StackState]) -> list[list[StackState]]:
    """The states by number of ranks: those that are compared with each other, apart from scaling."""
    groups: dict[int, list[StackState]] = defaultdict(list)
    for state in states:
        groups[state.plan.ranks].append(state)
    return list(groups.values())


def _first_refusal(launched: Launched) -> str:
    refusals = [*launched.record.skipped, *launched.record.invalid]
    return f"{refusals[0].case}: {refusals[0].reason}" if refusals else "C measured none"
