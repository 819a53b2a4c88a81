"""One launch of a binding: write its plan, start it, and turn what it wrote into a record and samples."""

import dataclasses
import datetime
import os
import re
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from polympi.lab.bindings.build import program_command
from polympi.lab.bindings.harness import start_library
from polympi.lab.bindings.manifest import Binding
from polympi.lab.catalogue import PAGES, Case
from polympi.lab.cluster.cluster import Cluster
from polympi.lab.errors import system_reason
from polympi.lab.launch.carried import bring_back, carried_command
from polympi.lab.launch.host_clock import HostClocks, UnknownMoment
from polympi.lab.launch.not_started import not_started
from polympi.lab.plan.text import plan_text
from polympi.lab.process import OUTPUT_BYTES, Ended, run_tree
from polympi.lab.protocol import LaunchSamples, ProtocolError, read_samples
from polympi.lab.records import NOT_STARTED, SAMPLE_SCHEMA, LaunchRecord, PlannedCase, Refusal
from polympi.lab.stacks.command import mpiexec_command
from polympi.lab.stacks.stack import Stack

_BUS = re.compile(r"\bsignal 7\b|Bus error")
_HYDRA_BUS = re.compile(r"EXIT CODE: 7$", re.MULTILINE)  # the signal, of a rank on another host
_HYDRA_OTHER = 255  # with which Hydra ends then; where a rank itself ends with 7, so does Hydra
_WHERE = re.compile(r"RUNNING AT (\S+)|on node (\S+)")


@dataclass(frozen=True)
class Setting:
    """What all launches on a stack have in common."""

    ranks: int  # ranks of a launch
    hostfile: Path | None  # hosts, in the launcher's format; None for this host alone
    processors: int  # CPUs this process may use
    folder: Path  # where plan and samples of the launch in progress are; all hosts must see it
    pages: str = PAGES[0]  # what message buffers lie on, one of `PAGES`
    stack: str | None = None  # what records and samples call the stack, if that is not its name
    # The test cluster on this machine that the hosts belong to; None for real hosts, or this one.
    cluster: Cluster | None = None
    arguments: Sequence[str] = ()  # further arguments of the launcher, those of a level
    carried: bool = False  # whether plan and samples go with the launch, and no other host sees the folder
    before: Sequence[str] = ()  # words before a rank's command: what runs it
    clocks: HostClocks | None = None  # what knows the clocks of other hosts; None if there are none

    def has_our_clock(self, host: str | None) -> bool:
        """Whether a host has the monotonic clock of this process; real hosts have their own."""
        ours = [one.name for one in self.cluster.hosts if not one.ahead_s] if self.cluster else [socket.gethostname()]
        return host in ours


@dataclass(frozen=True)
class Arm:
    """A binding of the run: built before anything is measured, so that later changes of sources have no effect."""

    binding: Binding  # which one
    built: Path  # the folder of its program

    @property
    def name(self) -> str:
        """The name under which its samples are kept."""
        return self.binding.name


@dataclass(frozen=True)
class Place:
    """Which launch of a run it is."""

    launch: int  # number in the run, from 0
    block: int | None = None  # block, from 0; None for calibration
    position: int = 0  # in the block, from 0


@dataclass(frozen=True)
class Launched:
    """A launch and what it measured."""

    record: LaunchRecord  # what became of it
    samples: LaunchSamples  # what it measured, if it is whole
    frame: pl.DataFrame  # the same as rows
    # Of a launch that timed out, the samples of the cases that it had finished; otherwise None.
    cut: LaunchSamples | None = None


def planned_case(case: PlannedCase) -> Case:
    """The case of a planned case."""
    return Case(case.benchmark, case.mode, case.payload, case.size_bytes)


def launch(
    place: Place,
    arm: Arm,
    stack: Stack,
    cases: Mapping[int, PlannedCase],
    setting: Setting,
    *,
    timeout_s: float,
    on_tick: Callable[[], None] = lambda: None,
) -> Launched:
    """Launch a binding once; a failure is a result, too. What `on_tick`, called about once a second, raises ends it."""
    plan, written, output = (setting.folder / name for name in ("plan.txt", "samples.txt", "output.txt"))
    plan.write_text(plan_text(cases, pages=setting.pages, start=start_library(stack)))
    written.unlink(missing_ok=True)
    if setting.carried:
        names = (Path(plan.name), Path(written.name))
        program = carried_command(program_command(arm.binding, stack, arm.built, *names), plan, written.name)
    else:
        program = program_command(arm.binding, stack, arm.built, plan, written)
    command = mpiexec_command(
        stack,
        setting.ranks,
        [*setting.before, *program],
        processors=setting.processors,
        hostfile=setting.hostfile,
        cluster=setting.cluster,
        arguments=setting.arguments,
    )
    record = LaunchRecord(
        launch=place.launch,
        stack=setting.stack or stack.name,
        block=place.block,
        position=place.position,
        binding=arm.name,
        ranks=setting.ranks,
        outcome="crashed",
        command=command,
        started=datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        load_average=round(os.getloadavg()[0], 2),
    )
    if setting.clocks:
        setting.clocks.before_launch()
    try:
        ended = run_tree(command, environment=stack.variables(), timeout_s=timeout_s, output=output, on_tick=on_tick)
    except OSError as error:
        record.detail = f"{command[0]} cannot be started: {system_reason(error)}"
        return Launched(record, LaunchSamples(), pl.DataFrame(schema=SAMPLE_SCHEMA))
    if setting.carried:
        ended = bring_back(ended, output, written)
    samples, cut = _judge(record, ended, written, cases, timeout_s)
    _describe(record, samples, ended, cases, setting)
    return Launched(record, samples, _frame(record, samples, cases), cut)


def _judge(
    record: LaunchRecord, ended: Ended, written: Path, cases: Mapping[int, PlannedCase], timeout_s: float
) -> tuple[LaunchSamples, LaunchSamples | None]:
    """Decide what became of the launch; return what can be used of its samples, all or nothing.

    Half a launch would give its first cases one replicate more than its last; only whole ones count. What one that
    timed out had finished is returned as well: a calibration continues with it.
    """
    record.exit_code, record.wall_ns = ended.exit_code, ended.wall_ns
    text = written.read_text(errors="replace") if written.is_file() else ""
    try:
        samples = read_samples(text, frozenset(cases))
    except ProtocolError as error:
        record.outcome, record.detail = "unreadable", f"its output does not follow the protocol: {error}"
        record.stderr_tail = ended.tail
        return LaunchSamples(), None
    during = f" in case {planned_case(cases[samples.last_case])}" if samples.last_case is not None else ""
    if ended.flooded:
        record.detail = f"it printed more than {OUTPUT_BYTES >> 20} MiB{during} and was ended"
    elif ended.timed_out:
        record.outcome, record.detail = (
            "timed out",
            f"it was still running after {timeout_s:.0f} s{during} and was ended",
        )
    elif ended.exit_code != 0 and not text and (reason := not_started(ended.tail)):
        record.outcome, record.detail = NOT_STARTED, reason
    elif ended.exit_code != 0:
        record.detail = f"it ended with {exit_words(ended.exit_code)}{during}{bus_error_words(ended)}"
    elif not samples.complete:
        record.detail = f"it ended without finishing the plan{during}"
    elif samples.binding != record.binding:
        record.detail = f"the manifest starts another binding: the program says that it is '{samples.binding}'"
    elif samples.ranks != record.ranks:
        record.detail = (
            f"the launcher does not belong to this MPI: the program saw {samples.ranks} of {record.ranks} ranks"
        )
    elif missing := _missing(samples, cases):
        record.outcome, record.detail = "unreadable", f"it finished, but wrote {missing}"
    else:
        record.outcome = "ok"
        return samples, None
    record.stderr_tail = ended.tail
    return LaunchSamples(), _finished(samples, cases) if record.outcome == "timed out" else None


def _finished(samples: LaunchSamples, cases: Mapping[int, PlannedCase]) -> LaunchSamples:
    whole = {number for number in samples.valid if number in cases and not _missing(samples, {number: cases[number]})}
    return dataclasses.replace(
        samples,
        batches={number: times for number, times in samples.batches.items() if number in whole},
        events={number: times for number, times in samples.events.items() if number in whole},
        valid=whole,
    )


def exit_words(exit_code: int | None) -> str:
    """How a command ended: its code, or the signal."""
    return f"signal {-exit_code}" if exit_code is not None and exit_code < 0 else f"code {exit_code}"


def bus_error_words(ended: Ended) -> str:
    """What a launch has seen that a rank was ended by SIGBUS, with the host if it is known; empty for others."""
    hydra = ended.exit_code == _HYDRA_OTHER and _HYDRA_BUS.search(ended.tail)
    if not (hydra or _BUS.search(ended.tail)):
        return ""
    host = _WHERE.search(ended.tail)
    where = f" on {host[1] or host[2]}" if host else ""
    return f" (a rank{where} was ended by SIGBUS, as where /dev/shm is full)"


def _missing(samples: LaunchSamples, cases: Mapping[int, PlannedCase]) -> str | None:
    """What the first case lacks that has neither its samples nor a reason for having none."""
    for number, case in cases.items():
        if number in samples.skipped or number in samples.invalid:
            continue
        name = f"of case {planned_case(case)} (number {number} of the plan)"
        if number not in samples.valid:
            return f"no record 'valid' {name}"
        for kind, found, wanted in (
            ("batch", samples.batches, case.batches),
            ("event", samples.events, case.events),
            ("communication", samples.communication, case.batches if number in samples.communication else 0),
        ):
            if (count := len(found.get(number, []))) != wanted:
                return f"{count} times in the record '{kind}' {name} instead of {wanted}"
    return None


def _describe(
    record: LaunchRecord, samples: LaunchSamples, ended: Ended, cases: Mapping[int, PlannedCase], setting: Setting
) -> None:
    if record.outcome != "ok":
        return
    for name in (
        "import_ns", "init_ns", "pss_bytes", "rss_bytes", "pss_mean_bytes", "threads", "clock_resolution_ns",
        "clock_cost_ns", "start_cost_ns", "clock_error_ns", "huge_bytes", "buffer_bytes", "library", "host", "places",
    ):  # fmt: skip
        setattr(record, name, getattr(samples, name))
    _record_start(record, samples, ended.started_ns, setting)
    record.repeated = sum(samples.repeated.values())
    record.skipped = [Refusal(str(planned_case(cases[n])), why) for n, why in samples.skipped.items()]
    record.invalid = [Refusal(str(planned_case(cases[n])), why) for n, why in samples.invalid.items()]


def _record_start(record: LaunchRecord, samples: LaunchSamples, started_ns: int, setting: Setting) -> None:
    """How long it took from the start of the launcher to the end of the first barrier, and how well that is known."""
    if setting.has_our_clock(samples.host):
        record.ready_ns, record.ready_error_ns = samples.ready_ns - started_ns, samples.ready_error_ns
    elif setting.clocks is None:
        record.unready = f"rank 0 ran on {samples.host}, and its clock was not compared with that of this host"
    else:
        try:
            ready = setting.clocks.moment(samples.host, samples.ready_ns)
        except UnknownMoment as unknown:
            record.unready = str(unknown)
        else:
            record.ready_ns, record.ready_error_ns = ready.ns - started_ns, ready.error_ns + samples.ready_error_ns


def _frame(record: LaunchRecord, samples: LaunchSamples, cases: Mapping[int, PlannedCase]) -> pl.DataFrame:
    """The samples as rows of :data:`SAMPLE_SCHEMA`; a calibration launch is stored as a record only."""
    of_launch = {
        "stack": record.stack,
        "block": record.block,
        "launch": record.launch,
        "binding": record.binding,
        "ranks": record.ranks,
    }
    timed = [
        {
            **of_launch,
            "benchmark": cases[number].benchmark,
            "mode": cases[number].mode,
            "payload": cases[number].payload,
            "size_bytes": cases[number].size_bytes,
            "kind": kind,
            "iterations": 1 if kind == "event" else cases[number].iterations,
            "time_ns": times_ns,
        }
        for kind, times in (
            ("batch", samples.batches),
            ("event", samples.events),
            ("communication", samples.communication),
        )
        for number, times_ns in times.items()
        if times_ns
    ]
    if record.block is None or not timed:
        return pl.DataFrame(schema=SAMPLE_SCHEMA)
    return pl.DataFrame(timed, schema={**SAMPLE_SCHEMA, "time_ns": pl.List(pl.Int64)}).explode("time_ns")
