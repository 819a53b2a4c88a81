"""The serial backend: one rank, and no MPI library."""

import os
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path

import pytest
from cores import DoesNotCompileError, compiled
from file_programs import ANY, BEGIN, END, NPY

from polympi.lab.stacks.command import mpiexec_command
from polympi.native import build

PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(scope="session")
def serial_core() -> Path:
    """A folder with that core alone."""

    def compile_into(folder: Path) -> None:
        try:
            build.compile_serial(folder, werror=True)
        except build.BuildError as error:
            raise DoesNotCompileError(str(error)) from None

    return compiled("serial", sys.executable, compile_into)


def variables_of(core: Path) -> dict[str, str]:
    paths = f"{build.SOURCES.parents[1]}:{PROGRAMS}"
    return {**os.environ, "PYTHONPATH": paths, "POLYMPI_BACKEND": "serial", "POLYMPI_CORE_FOLDER": str(core)}


def start(
    script: str, core: Path, python: Sequence[str] = (sys.executable,), cwd: Path | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*python, "-c", script],
        env={**variables_of(core), **variables},
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.parametrize("program", [*ANY, *NPY])
def test_a_file_without_mpi(serial_core: Path, program: str) -> None:
    ended = start(BEGIN + {**ANY, **NPY}[program] + END, serial_core)
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stderr


@pytest.mark.parametrize("level", ["serialized", "multiple"])
@pytest.mark.parametrize("program", ["to_itself", "pieces", "reductions"])
def test_a_program_of_one_rank_runs_without_mpi(serial_core: Path, program: str, level: str) -> None:
    script = (PROGRAMS / f"{program}.py").read_text()
    ended = start(script, serial_core, POLYMPI_THREADS=level)
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stderr
    assert ended.stdout.startswith("done")
    assert "with MPI" not in ended.stdout


# Programs that assert what they show, end with code 0 and write nothing.
ALONE = {
    "one rank is a mesh and a graph which need no numpy": """
import sys
cart = w.cart(ndim=2, periods=(True, False))
assert (cart.dims, cart.periods, cart.coords) == ((1, 1), (True, False), (0, 0))
assert cart.neighbor_alltoall(["back", "on", "", ""]) == ["on", "back", None, None]
with w.graph([0, 0], [0, 0]) as graph:
    assert graph.neighbor_alltoall([1, 2]) == [1, 2]
assert "numpy" not in sys.modules
import numpy as np
a = np.arange(12).reshape(3, 4)
assert (cart.gather_blocks(cart.scatter_blocks(a)) == a).all()
cart.free()
""",
    "a plan of a rank with itself": """
import numpy as np
grid = np.arange(40_000.0).reshape(200, 200)
with w.plan() as plan:
    plan.send(grid[:, 1], 0, 1)
    plan.recv(grid[:, 0], 0, 1)
    contiguous = grid[5:105].copy()
    plan.send(contiguous, 0, 2)
    large = np.zeros((100, 200))
    plan.recv(large, 0, 2)
    for turn in range(3):
        grid[:, 1] += 1
        plan()
        assert (grid[:, 0] == grid[:, 1]).all() and (large == contiguous).all()
""",
    "requests are awaited in asyncio": """
import asyncio
async def main():
    for number in range(100):
        w.isend(number, 0, 5)
    got = [message async for message in several(w.messages(tag=5, status=True), 100)]
    assert [message for message, status in got] == list(range(100)) and got[0][1].tag == 5
    task = asyncio.ensure_future(w.irecv(0, 9))
    await asyncio.sleep(0.01)
    w.isend("later", 0, 9)
    assert await task == "later" and await w.iallreduce(3) == 3
async def several(messages, count):
    async for message in messages:
        yield message
        count -= 1
        if not count:
            return
asyncio.run(main())
requests = {w.irecv(0, tag): tag for tag in range(100)}
for tag in range(100):
    w.isend(tag, 0, tag)
assert all(request.wait() == requests[request] for request in mpi.as_completed(requests))
""",
    "and in trio": """
import trio
async def main():
    for number in range(100):
        w.isend(number, 0)
        assert await w.irecv(0) == number
    with trio.move_on_after(0.01) as scope:
        await w.irecv(0, 2)
    assert scope.cancelled_caught
    async with trio.open_nursery() as nursery:
        nursery.start_soon(give)
        async for message in w.messages(tag=2):
            assert message == "later"
            break
async def give():
    await trio.sleep(0.01)
    await w.isend("later", 0, 2)
trio.run(main)
""",
    "threads wait for one another and are waited for": """
import threading, time
def later():
    time.sleep(0.2)
    w.send(bytes(10**5), 0, 4)
threading.Thread(target=later).start()
assert len(w.recv(0, 4)) == 10**5
def last():
    time.sleep(0.2)
    assert w.recv(0, 6) == "for the thread"
threading.Thread(target=last).start()
w.send("for the thread", 0, 6)
""",
    "groups of one rank": """
assert mpi.self_world.allreduce(2) == 2 and mpi.processor_name()
with w.subset([0]) as alone, w.split_by_host() as near:
    alone.send("to itself", 0)
    assert alone.recv(0) == "to itself" and near.size == 1
    assert alone.compare(near) == alone.compare(mpi.self_world) == "congruent" and alone != near
    assert alone.translate([0, 0], w) == [0, 0]
    alone.name = "alone"
    alone.attributes[3] = alone.name
    assert alone.attributes == {3: "alone"} and w.name == "" and w.attributes == {}
for wrong in [], [1], [0, 0]:
    with raises(mpi.RankError, "rank 0, subset(): ranks "):
        w.subset(wrong)
""",
    "a shared array and a window of one rank": """
import numpy as np
array = w.shared((2, 3), np.int32)
assert array.shape == (2, 3) and array.dtype == np.int32 and not array.any()
with w.window(array) as window:
    window.fence()
    window.put(np.arange(12, dtype=np.int32)[::2], 0)
    window.accumulate(np.ones(2, np.int32), 0, 1, op=mpi.MAX)
    window.fence()
    assert array.ravel().tolist() == [0, 2, 4, 6, 8, 10]
    into = np.zeros(4, np.int32)[::-2]
    with window.lock(0, exclusive=True):
        window.get(into, 0, 4)
        assert window.fetch_and_op(5, 0, 1) == 2
        assert window.iget(np.empty(2, np.int32), 0, 4).wait().tolist() == [8, 10]
        window.iput(7, 0, 2).wait()
        assert window.iget_accumulate(-5, np.empty(1, np.int32), 0, 2).wait() == [7]
        window.iaccumulate(2, 0, 2).wait()
        assert array[0, 2] == 4
        assert window.compare_and_swap(7, 1, 0, 1) == 7 and window.compare_and_swap(7, 0, 0, 1) == 1
    assert into.tolist() == [8, 10] and array[0, 1] == 1
    with raises(mpi.MismatchError, "rank 0, window.put(): 1 elements from offset 6 are not all among the 6"):
        with window.lock_all():
            window.put(1, 0, 6)
""",
    "no second group and no programs": """
with raises(mpi.LauncherError, "spawn(): the launcher of MPI starts processes, but this program runs on the serial"):
    mpi.spawn(["true"], 1)
with raises(mpi.MismatchError, "remote_leader is 0, a rank of this group"):
    w.create_intercomm(0, w, 0)
with raises(TypeError, "peer_comm is NoneType"):
    w.create_intercomm(0, None, 0)
assert mpi.parent is None
""",
    "signal handlers communicate and finalise in the middle of a receive": """
import signal
def then(action):
    signal.signal(signal.SIGALRM, lambda *_: action())
    signal.setitimer(signal.ITIMER_REAL, 0.1)
then(lambda: w.send("sent by a handler", 0, 1))
assert w.recv(0, 1) == "sent by a handler"
w.send("for the handler", 0, 2)
then(lambda: w.send(w.recv(0, 2), 0, 3))
assert w.recv(0, 3) == "for the handler"
then(mpi.finalize)
with raises(mpi.StateError, f"rank 0, recv(source=0, tag=1): {FINALISED_MEANWHILE}"):
    w.recv(0, 1)
""",
    "time outs lose no message": """
late = w.irecv(0, 2)
calls = [lambda: w.recv(0, 1, timeout=0.05), lambda: w.probe(0, 1, timeout=0.05), lambda: late.wait(timeout=0.05),
         lambda: w.ssend("late", 0, 3, timeout=0.05), lambda: w.ssend(bytes(10**5), 0, 4, timeout=0.05),
         lambda: w.sendrecv("half", 0, 5, 0, 6, timeout=0.05), lambda: mpi.wait_any([late], timeout=0.05)]
for call in calls:
    with raises(mpi.Timeout, "waited 0.05 s"):
        call()
w.send("at last", 0, 2)
assert (w.recv(0, 3), w.recv(0, 4), w.recv(0, 5), late.wait()) == ("late", bytes(10**5), "half", "at last")
""",
    "a single rank without mpi sends raw messages to itself": """
import numpy as np
p = w.raw
p.isend(np.arange(6.0).reshape(2, 3).T, 0, 1)
assert p.probe(dtype=float) == (0, 1, 6, 48)
into = np.zeros((3, 2))
assert p.recv(into).tolist() == [[0, 3], [1, 4], [2, 5]]
assert p.allreduce(into, np.zeros(6)).sum() == p.alltoall(into, np.zeros(6)).sum() == 15
assert p.allgatherv(into, np.zeros(6), [6]).sum() == p.gather(into, np.zeros(6)).sum() == 15
with raises(mpi.Timeout):
    p.recv(into, timeout=0.05)
for of_a_library in (lambda: p.handle, mpi.library_path):
    with raises(mpi.LibraryError, "the serial backend has no MPI library"):
        of_a_library()
""",
    "the former names of raw still work with a warning": """
import warnings
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    assert mpi.plain_world is w.plain is mpi.raw_world and mpi.Plain is mpi.Raw and mpi.plain is mpi.raw
assert [warning.category for warning in said] == [DeprecationWarning] * 4
assert {"plain", "Plain", "plain_world"}.isdisjoint(dir(mpi))
""",
}


@pytest.mark.parametrize("script", ALONE.values(), ids=ALONE)
def test_programs_of_one_rank(serial_core: Path, script: str) -> None:
    begin = "import polympi as mpi\nfrom prelude import c as w, raises\nfrom sentences import FINALISED_MEANWHILE\n"
    ended = start(begin + script, serial_core)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


def test_it_says_what_it_is(serial_core: Path) -> None:
    ended = start("import polympi as mpi; print(mpi.world.size, mpi.library_version())", serial_core)
    assert ended.stdout == "1 polympi serial: one rank, no MPI library\n"


def test_undelivered_messages_are_reported_at_the_end(serial_core: Path) -> None:
    script = "import polympi as mpi, numpy as np; mpi.world.isend(np.ones(10**6), 0, 7); r = mpi.world.irecv(0, 8)"
    ended = start(script, serial_core)
    assert ended.returncode == 1
    assert sorted(ended.stderr.splitlines()) == [
        "[rank 0] irecv(source=0, tag=8) got no message",
        "[rank 0] isend(dest=0, tag=7) was never received",
    ]


def test_a_launcher_of_several_processes_is_refused(serial_core: Path) -> None:
    ended = start("import polympi as mpi; mpi.world", serial_core, PMI_SIZE="4", PMI_RANK="0")
    assert ended.returncode == 1
    assert "started 4 processes, but POLYMPI_BACKEND asks for the serial backend" in ended.stderr.splitlines()[-1]


def test_a_child_of_a_rank_may_use_it(serial_core: Path) -> None:
    rank = {"PMI_SIZE": "4", "PMI_RANK": "2", "POLYMPI_RANK": "2 123 PMI_RANK=2 "}
    ended = start("import polympi as mpi; print(mpi.world.allreduce(5))", serial_core, **rank)
    assert (ended.returncode, ended.stdout) == (0, "5\n"), ended.stderr


def test_an_unknown_backend_and_a_missing_core_are_a_sentence_each(serial_core: Path, tmp_path: Path) -> None:
    ended = start("import polympi as mpi; mpi.world", serial_core, POLYMPI_BACKEND="cereal")
    assert ended.stderr.splitlines()[-1].endswith("POLYMPI_BACKEND is 'cereal': set it to mpi or serial.")


# ---- its end ----


@pytest.mark.parametrize(
    ("end", "code"),
    [
        ("sys.exit(3)", 3),
        ("sys.exit(256)", 1),
        ("sys.exit(-256)", 1),
        ("sys.exit('a reason')", 1),
        ("mpi.abort(0)", 1),
        ("mpi.abort(7)", 7),
        ("mpi.abort(512)", 1),
        ("{}['nothing']", 1),
        ("threading.Timer(0.2, os.kill, [os.getpid(), signal.SIGINT]).start(); mpi.world.recv()", -2),
        ("os._exit(4)", 4),
        ("mpi.world.irecv(0, 1)", 0),
        ("threading.Thread(target=mpi.world.recv, daemon=True).start(); time.sleep(0.1)", 0),
        ("atexit.register(lambda: print(len(mpi.world.sendrecv(bytes(10**5), 0, 1, 0, 1))))", 0),
        ("mpi.finalize(); mpi.finalize()", 0),
        ("mpi.world.isend(bytes(10**5), 0, 7); mpi.finalize()", 1),
    ],
)
def test_how_a_program_ends(serial_core: Path, end: str, code: int) -> None:
    imports = "import atexit, os, signal, sys, threading, time\nimport polympi as mpi\nmpi.world\n"
    ended = start(f"{imports}print('begun', flush=True)\n{end}\n", serial_core)
    assert ended.returncode == code, ended  # -2: Python ends itself by SIGINT, which shells show as 130
    assert ended.stdout.startswith("begun")
    assert "Fatal Python error" not in ended.stderr


def test_a_forked_child_ends_as_it_likes(serial_core: Path) -> None:
    script = """
import os, sys
import polympi as mpi
request = mpi.world.isend(bytes(10**5), 0, 1)
def child(end):
    for call in lambda: mpi.world.send(1, 0), mpi.world.barrier, mpi.init, mpi.finalize, request.wait:
        try:
            call()
        except mpi.StateError as error:
            assert "forked child" in str(error)
        else:
            assert call == mpi.finalize
    if end == "_exit":
        os._exit(4)
    if end == "exit":
        sys.exit(3)
    if end == "raise":
        raise KeyError("child")
for end, code in {"end": 0, "_exit": 4, "exit": 3, "raise": 1}.items():
    pid = os.fork()
    if not pid:
        child(end)
        break
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == code, end
else:
    print(len(mpi.world.recv(0, 1)), mpi.world.allreduce(3))
    request.wait()
"""
    ended = start(script, serial_core)
    assert (ended.returncode, ended.stdout) == (0, "100000 3\n"), ended.stderr


def test_after_finalize_every_call_is_refused(serial_core: Path) -> None:
    script = """
import polympi as mpi
from hostless import refused
from sentences import FINALISED
w = mpi.world
assert mpi.init() is w
refused(mpi.StateError, "lower than the 'multiple'", lambda: mpi.init("multiple"))
got = w.irecv(0, 1)
mpi.finalize()
calls = [mpi.init, lambda: mpi.init("multiple"), lambda: w.send(1, 0), w.recv, w.iprobe, w.barrier, w.dup, w.free,
         lambda: w.allreduce(1), got.wait, got.test, got.cancel, lambda: mpi.wait_all([got]), mpi.thread_level,
         mpi.abort, lambda: mpi.buffer_attach(10)]
for call in calls:
    refused(mpi.StateError, FINALISED, call)
print("refused", w.size, mpi.world.rank)
"""
    ended = start(script, serial_core)
    assert (ended.returncode, ended.stdout) == (0, "refused 1 0\n"), ended.stderr
    assert ended.stderr == "[rank 0] irecv(source=0, tag=1) got no message\n"


# ---- what interrupts it ----


def test_without_memory_for_a_message_its_sender_and_the_next_ones_go_on(serial_core: Path) -> None:
    script = """
import resource
import numpy as np
import polympi as mpi
from hostless import refused
w = mpi.world
big = np.ones(10**7)
assert w.sendrecv("first", 0, 0, 0, 0) == "first"
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + big.nbytes // 2, used + big.nbytes // 2))
sent = w.isend(big, 0, 1)
calls = [lambda: w.recv(0, 1), lambda: w.sendrecv(big, 0, 1, 0, 1), lambda: w.allgather(big), lambda: w.allreduce(big),
         lambda: w.alltoall([big]), lambda: w.gather(big), lambda: w.scatter([big]), lambda: w.scan(big),
         lambda: w.reduce_scatter(big), lambda: w.isend(big[::2], 0, 1)]
for number, call in enumerate(calls):
    refused(MemoryError, "", call)
    assert w.sendrecv(number, 0, 2, 0, 2) == number
sent.wait()
assert w.bcast(big) is big
print(w.allreduce(2))
"""
    ended = start(script, serial_core)
    # what the last call announced before it had no memory
    lost = "[rank 0] a message from rank 0 with tag 1 was never received\n"
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, "2\n", lost)


# ---- where it runs ----

SMALL = """
import threading
import polympi as mpi
w = mpi.world
assert len(w.sendrecv(bytes(10**5), 0, 0, 0, 0)) == 10**5
assert w.gather([w.allreduce(2)]) == [[2]]
threading.Thread(target=w.recv, args=(0, 5), daemon=True).start()
print("ended")
"""


@pytest.mark.parametrize("options", [["-X", "dev", "-W", "error"], ["-I"], ["-OO"]], ids=" ".join)
def test_it_runs_with_options_of_python(serial_core: Path, options: list[str]) -> None:
    found = f"import sys\nsys.path.insert(0, {str(build.SOURCES.parents[1])!r})\n"  # -I takes no variables for it
    ended = start(found + SMALL, serial_core, [sys.executable, *options])
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "ended\n", "")


def test_it_runs_where_its_folders_are_gone(serial_core: Path, tmp_path: Path) -> None:
    script = "import os, shutil\nshutil.rmtree(os.getcwd())\n" + SMALL
    folder = tmp_path / "folder"
    folder.mkdir()
    ended = start(script, serial_core, cwd=folder, TMPDIR=str(folder))
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "ended\n", "")


def test_it_runs_without_numpy(serial_core: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "bare", with_pip=False)
    script = """
import importlib.util
from array import array
assert importlib.util.find_spec("numpy") is None
import polympi as mpi
w = mpi.world
for value in [1, 2.5, bytes(10**5), {1: (2, None)}], array("d", [1, 2]), bytearray(10**5), 10**30:
    assert w.sendrecv(value, 0, 0, 0, 0) == value
room = bytearray(3)
w.sendrecv(b"abc", 0, 0, 0, 0, into=room)
assert room == b"abc"
assert (w.allreduce(2), w.scan(2.5), w.allreduce((1, 0), op=mpi.MINLOC)) == (2, 2.5, (1, 0))
assert (w.gather("x"), w.scatter([3]), w.alltoall([4]), w.bcast("b")) == (["x"], 3, [4], "b")
print("ended")
"""
    ended = start(script, serial_core, [str(tmp_path / "bare" / "bin" / "python")])
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "ended\n", "")


def test_children_of_multiprocessing(serial_core: Path, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("""
import multiprocessing
import polympi as mpi
def child(number):
    try:
        return mpi.world.allreduce(number)
    except mpi.StateError:
        return "refused"
if __name__ == "__main__":
    mpi.world
    for method in "fork", "spawn":
        with multiprocessing.get_context(method).Pool(2) as pool:
            print(method, pool.map(child, [1, 2]))
    print(mpi.world.allreduce(3))
""")
    command = [sys.executable, str(program)]
    ended = subprocess.run(
        command, env=variables_of(serial_core), capture_output=True, text=True, check=False, timeout=120
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout == "fork ['refused', 'refused']\nspawn [1, 2]\n3\n"


def test_ranks_of_a_launcher_learn_that_each_would_be_alone(serial_core: Path, stack) -> None:
    program = [sys.executable, "-c", "import polympi as mpi; print(mpi.world.size)"]
    for ranks in (1, 2):
        command = mpiexec_command(stack, ranks, program, processors=len(os.sched_getaffinity(0)))
        environment = {**variables_of(serial_core), **stack.variables()}
        environment |= {name: value for name, value in variables_of(serial_core).items() if name.startswith("POLYMPI")}
        ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)
        assert (ended.returncode == 0, ended.stdout) == ((True, "1\n") if ranks == 1 else (False, "")), ended.stderr
        said = "started 2 processes, but POLYMPI_BACKEND asks for the serial backend"
        assert (said in ended.stderr) == (ranks == 2)
