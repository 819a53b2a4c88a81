"""One launch of a tool: start its program as often as it needs, and read its figures."""

import contextlib
import ctypes
import datetime
import os
import time
from collections.abc import Callable, Iterator, Sequence

from polympi.lab.errors import system_reason
from polympi.lab.launch.launcher import Place, Setting, exit_words
from polympi.lab.process import OUTPUT_BYTES, Ended, run_tree
from polympi.lab.records import ToolFigure, ToolLaunch
from polympi.lab.stacks.command import mpiexec_command
from polympi.lab.stacks.stack import Stack
from polympi.lab.tools.find import FoundTool
from polympi.lab.tools.tool import PRINTED

_PR_SET_THP_DISABLE, _PR_GET_THP_DISABLE = 41, 42  # prctl(2); children inherit it


def launch_tool(
    place: Place,
    found: FoundTool,
    stack: Stack,
    sizes: Sequence[int],
    setting: Setting,
    *,
    timeout_s: float,
    on_tick: Callable[[], None] = lambda: None,
) -> ToolLaunch:
    """Launch a tool once, without huge pages unasked; a launch that fails is a result, too, and raises nothing."""
    record = ToolLaunch(
        stack=setting.stack or stack.name,
        block=place.block or 0,
        position=place.position,
        tool=found.name,
        benchmark=found.tool.benchmark,
        payload=found.tool.payload,
        ranks=setting.ranks,
        outcome="crashed",
        started=datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        load_average=round(os.getloadavg()[0], 2),
    )
    deadline, times = time.monotonic() + timeout_s, {}
    for arguments in found.tool.calls(sizes):
        program = [str(found.program), *arguments]
        command = mpiexec_command(
            stack,
            setting.ranks,
            program,
            processors=setting.processors,
            hostfile=setting.hostfile,
            cluster=setting.cluster,
            arguments=setting.arguments,
            folder=setting.folder,
        )
        record.commands.append(command)
        written = setting.folder / found.tool.written
        written.unlink(missing_ok=True)
        try:
            with _small_pages():
                ended = run_tree(
                    command,
                    environment={**stack.variables(), **found.environment},
                    timeout_s=deadline - time.monotonic(),
                    output=setting.folder / PRINTED,
                    on_tick=on_tick,
                    folder=setting.folder,
                )
        except OSError as error:
            record.detail = f"{command[0]} cannot be started: {system_reason(error)}"
            return record
        figures = found.tool.times(written.read_text(errors="replace")) if written.is_file() else {}
        record.exit_code, record.wall_ns = ended.exit_code, record.wall_ns + ended.wall_ns
        if ended.exit_code != 0 or not figures:
            _blame(record, ended, timeout_s)
            return record
        times.update(figures)
    record.figures = [ToolFigure(size_bytes=size, time_ns=times[size]) for size in sizes if size in times]
    if record.figures:
        record.outcome = "ok"
    else:
        record.outcome, record.detail = "unreadable", "it gave figures, but of none of the sizes of this run"
    return record


def _blame(record: ToolLaunch, ended: Ended, timeout_s: float) -> None:
    record.stderr_tail = ended.tail
    if ended.flooded:
        record.detail = f"it printed more than {OUTPUT_BYTES >> 20} MiB and was ended"
    elif ended.timed_out:
        record.outcome, record.detail = "timed out", f"it was still running after {timeout_s:.0f} s and was ended"
    elif ended.exit_code:
        record.detail = f"it ended with {exit_words(ended.exit_code)}"
    else:
        record.outcome, record.detail = "unreadable", "it ended well, but gave no figures"


@contextlib.contextmanager
def _small_pages() -> Iterator[None]:
    """Processes that are started now get no huge pages unasked; where a kernel does not know that, they may.

    Afterwards all is as before, even if this process was started with them blocked.
    """
    prctl = ctypes.CDLL(None).prctl
    before = prctl(_PR_GET_THP_DISABLE, 0, 0, 0, 0)
    prctl(_PR_SET_THP_DISABLE, 1, 0, 0, 0)
    try:
        yield
    finally:
        if before == 0:
            prctl(_PR_SET_THP_DISABLE, 0, 0, 0, 0)
