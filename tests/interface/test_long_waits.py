"""POLYMPI_HANG: calls that wait long say so once, and go on; programs that make progress say nothing."""

import re

import pytest
from rank_programs import PRELUDE

pytestmark = pytest.mark.sanitize

HANG = "POLYMPI_HANG"
REPORT = re.compile(
    r"\[rank (\d)\] has waited (?P<seconds>[\d.]+) s (?P<wait>.+) at \S+:(?P<line>\d+): (?P<missing>.+)"
)
IN_TURN = "check that every rank calls it, in the same order"


def line_of(program: str, comment: str) -> int:
    (found,) = (number for number, text in enumerate(program.splitlines(), 1) if text.endswith(f"  # {comment}"))
    return found


def reports(lines: list[str], rank: int) -> list[tuple[int, str, str]]:
    """Line, wait and what is missing of each report of a rank, by line."""
    found = [match for line in lines if line.startswith(f"[rank {rank}]") for match in [REPORT.fullmatch(line)]]
    assert all(match and 1 <= float(match["seconds"]) < 60 for match in found), lines
    return sorted((int(match["line"]), match["wait"], match["missing"]) for match in found if match)


LONG = f"""{PRELUDE.strip()}
import pathlib
import threading
pair = c.split(rank // 2)
folder = pathlib.Path(sys.argv[1])
thread = threading.Thread(target=lambda: pair.recv(tag=8))  # thread
if rank < 2:
    stderr, reports = os.dup(2), folder / str(rank)
    os.dup2(os.open(reports, os.O_CREAT | os.O_WRONLY), 2)
    c.barrier()
    thread.start()
    with raises(mpi.Timeout, "waited 2"):
        c.recv(other, 5, timeout=2)  # receives first
    pair.send("late", other, 8)
    thread.join()
    c.barrier()  # missing
    mpi.raw_world.barrier()  # raw
    os.dup2(stderr, 2)
    print(reports.read_text(), end="", file=sys.stderr, flush=True)
else:
    def wait_for_reports(of):  # of both others, however long a busy machine takes to make them
        end = time.monotonic() + 100
        while not all(of in (folder / name).read_text() for name in "01") and time.monotonic() < end:
            time.sleep(0.1)
    c.barrier()
    wait_for_reports("in barrier()")
    c.barrier()
    wait_for_reports("in raw.barrier()")
    mpi.raw_world.barrier()
for step in range(8):  # healthy
    time.sleep(0.2 * (step % size == rank))
    c.sendrecv(step, (rank + 1) % size, (rank - 1) % size)
    c.allreduce(step)
"""


def test_calls_that_wait_long_are_reported_once_and_go_on(run, stack, tmp_path) -> None:
    said = run(LONG, 3, stack, env={HANG: "1"}, arguments=[str(tmp_path)]).ends(said=None).said
    assert not reports(said, 2)
    nothing, late = "no matching message came", "not all other ranks called it"
    for rank in (0, 1):
        pair, world = f"as rank {rank} of a communicator of 2 ranks,", "on polympi.world"
        expected = {
            "thread": (f"for any rank in recv(source=ANY_SOURCE, tag=8), {pair}", nothing),
            "receives first": (f"for rank {1 - rank} in recv(source={1 - rank}, tag=5) {world}", nothing),
            "missing": (f"in barrier() {world}", f"{late}, nothing came from rank 2; {IN_TURN}"),
            "raw": ("in raw.barrier()", f"{late}; {IN_TURN}"),
        }
        assert reports(said, rank) == [(line_of(LONG, comment), *words) for comment, words in expected.items()]


ASKED = f"""{PRELUDE.strip()}
import signal
if rank == 0:
    waiting = c.recv(1, 1)
    time.sleep(2)
    os.kill(waiting, signal.SIGUSR1)
    os.kill(os.getpid(), signal.SIGUSR1)  # asked
    c.recv(1, 2)
else:
    c.send(os.getpid(), 0, 1)
    with raises(mpi.Timeout):
        c.recv(0, 5, timeout=5)  # waits
    c.send("end", 0, 2)
"""


def test_a_signal_asks_where_ranks_are(run, stack) -> None:
    said = run(ASKED, 2, stack, env={HANG: "60"}).ends(said=None).said
    first, second = said
    assert re.fullmatch(
        rf"\[rank 0\] is at \S+:{line_of(ASKED, 'asked')}, where it hasn't waited for a second\.", first
    )
    assert reports([second], 1) == [
        (line_of(ASKED, "waits"), "for rank 0 in recv(source=0, tag=5) on polympi.world", "no matching message came")
    ]


@pytest.mark.parametrize("text", ["soon", "0.5", "-3", "inf"])
def test_a_time_that_is_none_is_refused(run, mpich, text: str) -> None:
    ended = run("import polympi\npolympi.init()\n", None, mpich, env={HANG: text, "POLYMPI_BACKEND": "serial"})
    assert f"ValueError: {HANG} is '{text}': give the seconds after which a waiting call is reported" in ended.stderr
