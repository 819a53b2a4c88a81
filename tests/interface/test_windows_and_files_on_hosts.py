"""Windows, shared arrays, files and spawned programs where ranks are on two hosts."""

from pathlib import Path

import pytest
from file_programs import ANY, BEGIN, NPY
from rank_programs import PRELUDE
from test_windows import WINDOWS

pytestmark = pytest.mark.system

ON_TWO_HOSTS = {
    "each host has its own shared array": """
with c.split_by_host() as host:
    array = host.shared((host.size, 1000), int)
    array[host.rank] = rank
    host.barrier()
    assert host.size == 2 and array[:, -1].tolist() == [r for r in range(size) if r // 2 == rank // 2]
    with c.window(array[host.rank]) as window:  # one host's memory, which the other accesses
        window.fence()
        window.accumulate(np.full(1000, 10), (rank + 2) % size)
        window.fence()
    assert (array[host.rank] == rank + 10).all()
    host.barrier()
with raises(mpi.MismatchError, "shared(): the ranks of this communicator are on several hosts", "split_by_host()"):
    c.shared(3)
""",
    "a path that leads to another file on each host": """
import subprocess
folder = sys.argv[1]
if rank == size - 1:  # a disk of that host alone, in the place of a folder that both have
    subprocess.run(["mount", "-t", "tmpfs", "none", folder], check=True)
    with open(f"{folder}/old", "w") as file:
        file.write("content")
c.barrier()
try:
    for mode, name, said in (("w", "old", "this is another file than that of rank 0: give a path that all hosts share"),
                             ("w", "new", "only rank 0 has it: give a path that all hosts share"),
                             ("r+", "new", "only rank 0 has it")):
        here = rank // 2 == size // 2 - 1
        try:
            c.open(f"{folder}/{name}", mode)
        except mpi.FileError as error:
            assert said in str(error) and error.consequence is not here, error
        else:
            raise AssertionError(mode)
finally:
    c.barrier()
    if rank == size - 1:
        subprocess.run(["umount", folder], check=True)
""",
}


@pytest.mark.parametrize("script", ON_TWO_HOSTS.values(), ids=ON_TWO_HOSTS)
def test_what_hosts_share(run_on_hosts, stack, tmp_path: Path, script: str) -> None:
    (tmp_path / "disk").mkdir()
    run_on_hosts(PRELUDE + script, 2, stack, arguments=[str(tmp_path / "disk")]).succeeded()


@pytest.mark.parametrize(
    ("each", "name"),
    [
        (1, "mistakes in accesses"),
        (1, "a fence that not all ranks call times out"),
        (2, "random puts and gets give what NumPy gives"),
        (2, "random accumulates by all ranks give what NumPy gives"),
        (2, "an exclusive lock lets nobody in between"),
    ],
)
def test_windows(run_on_hosts, stack, each: int, name: str) -> None:
    run_on_hosts(PRELUDE + WINDOWS[2 if each == 1 else 3][name], each, stack).succeeded()


@pytest.mark.parametrize("name", ["each rank writes and reads its part", "elements that are apart in the file"])
def test_files_on_a_folder_that_both_have(run_on_hosts, stack, name: str) -> None:
    run_on_hosts(BEGIN + ANY[name], 2, stack).succeeded()


def test_arrays_in_files(run_on_hosts, stack) -> None:
    run_on_hosts(BEGIN + NPY["rows, as many as a rank has"], 2, stack).succeeded()


def test_a_spawned_program_communicates_across_hosts(run_on_hosts, stack, tmp_path: Path) -> None:
    child = tmp_path / "child.py"
    child.write_text(
        "import os\nimport numpy as np\nimport polympi as mpi\n"
        "with mpi.parent as parent:\n"
        "    parent.send((np.arange(100_000), os.uname().nodename), 1)\n"
        "    print(parent.allgather(mpi.world.rank))\n"
    )
    script = """
names = "PYTHONPATH", "POLYMPI_CORE_FOLDER", "POLYMPI_LIBMPI", "LD_LIBRARY_PATH", "PATH"
variables = [f"{name}={os.environ[name]}" for name in names if name in os.environ]
with mpi.spawn(["env", *variables, sys.executable, sys.argv[1]], 2) as inter:
    if rank == 1:
        got = [inter.recv(there) for there in range(2)]
        assert all((values == np.arange(100_000)).all() for values, _ in got)
        print(*(host for _, host in got))
    assert inter.allgather(rank) == [0, 1]
"""
    ended = run_on_hosts(
        PRELUDE + script,
        1,
        stack,
        arguments=[str(child)],
        env={"PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe"},
    )
    assert ended.succeeded().count("[0, 1]") == 2
