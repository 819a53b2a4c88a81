"""Slurm on a test cluster starts ranks of both libraries on its hosts, and ends with them."""

import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from audit.drills import compiled as hangs
from cluster_steps import until

from polympi.lab.bindings.core import build_core
from polympi.lab.cluster import manage, namespaces, slurm
from polympi.lab.cluster.cluster import Cluster, ClusterError, processes_of
from polympi.lab.stacks.stack import Stack

PROGRAM = """
#include <mpi.h>
#include <stdio.h>
static char bytes[1 << 20];
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, length;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char name[MPI_MAX_PROCESSOR_NAME];
    MPI_Get_processor_name(name, &length);
    MPI_Bcast(bytes, sizeof bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    printf("%d of %d on %s\\n", rank, size, name);
    return MPI_Finalize();
}
"""


@pytest.mark.system
def test_srun_starts_both_libraries_and_messages_take_the_wires(
    polympi, with_slurm: Cluster, mpich: Stack, openmpi: Stack, tmp_path: Path
) -> None:
    (tmp_path / "program.c").write_text(PROGRAM)
    place = str(Path(openmpi.mpiexec).parents[1])
    for stack, words in (
        (mpich, ["srun", "--mpi=pmi2"]),
        (openmpi, ["env", f"OPAL_PREFIX={place}", f"PMIX_PREFIX={place}", "srun", "--mpi=pmix"]),
    ):
        program = tmp_path / stack.name
        command = [stack.mpicc, str(tmp_path / "program.c"), "-o", str(program)]
        subprocess.run(command, env=stack.variables(), check=True)
        before = with_slurm.traffic()
        said = polympi("cluster", "exec", "--name", "t", "--", *words, "-N", "2", "-n", "2", str(program))
        assert said.exit_code == 0, said.text
        assert {"0 of 2 on t-1", "1 of 2 on t-2"} <= set(said.text.splitlines())
        assert with_slurm.traffic()["t-1"].sent_bytes - before["t-1"].sent_bytes > 1_000_000


LAUNCHES = """
import socket
import polympi as mpi
with mpi.launch(2, timeout=60) as ranks:
    print(*ranks.run(socket.gethostname))
"""


@pytest.mark.system
def test_a_program_in_an_allocation_launches_ranks_by_srun(
    polympi, with_slurm: Cluster, mpich: Stack, openmpi: Stack, tmp_path: Path
) -> None:
    program, script, output = tmp_path / "launches.py", tmp_path / "job", tmp_path / "output"
    program.write_text(LAUNCHES)
    script.write_text(f"#!/bin/sh\nexec {sys.executable} {program}\n")
    script.chmod(0o755)
    output.touch()
    for stack in mpich, openmpi:
        place = str(Path(stack.mpiexec).parents[1])
        variables = {"OPAL_PREFIX": place, "PMIX_PREFIX": place, **stack.variables()}
        variables |= {"POLYMPI_LIBMPI": stack.libmpi, "POLYMPI_CORE_FOLDER": str(build_core(stack))}
        words = ["env", *(f"{name}={value}" for name, value in variables.items())]
        for command in ["salloc", "--quiet"], ["sbatch", "--wait", f"--output={output}"]:
            said = polympi("cluster", "exec", "--name", "t", "--", *words, *command, "-N", "2", str(script))
            text = said.text + output.read_text()
            assert said.exit_code == 0, text
            assert "t-1 t-2" in text.splitlines(), text
            output.write_text("")


@pytest.mark.system
@pytest.mark.slow
def test_the_audit_of_a_job_that_hangs_says_why_before_its_time_is_over(
    polympi, with_slurm: Cluster, mpich: Stack, tmp_path: Path
) -> None:
    """Slurm sends SIGTERM to all its processes then, and ends them half a minute later.

    A job is given whole minutes; a running one may be told to end sooner.
    """
    program, script, folder = hangs(mpich, tmp_path), tmp_path / "job", tmp_path / "audit"
    audit = f"{sys.executable} -m polympi audit -n 2 --stack mpich --hang 600 --output {folder}"
    script.write_text(f"#!/bin/sh\nexec {audit} -- {program} 'receives first'\n")
    batch = ["sbatch", "--wait", "--nodes=1", "--time=10", f"--output={tmp_path}/out", str(script)]
    execute = ["cluster", "exec", "--name", "t", "--"]
    running = polympi.begin(*execute, *batch)
    number = running.stdout.readline().removeprefix("Submitted batch job ").strip()
    until(lambda: len(list(folder.glob("*.audit"))) == 2)
    soon = polympi(*execute, "scontrol", "update", f"jobid={number}", "EndTime=now+10seconds")
    assert soon.exit_code == 0, soon.text
    running.communicate(timeout=120)
    text = (tmp_path / "out").read_text()
    assert running.returncode != 0, text
    assert "polympi audit: the state at SIGTERM" in text
    assert "Hang (cycle): Each waits for the next" in text
    assert (folder / "audit.html").is_file()


@pytest.mark.system
def test_jobs_run_on_a_cluster_of_the_longest_name(polympi, folder: Path, tmp_path: Path) -> None:
    """Wherever its folder is, the names of Slurm's sockets are short enough."""
    if reason := slurm.why_not():
        pytest.skip(reason)
    name = "t" * 31
    cluster = manage.up(name, 2, slurm=True)
    assert len(str(Path(cluster.folder) / "slurm" / cluster.first.name)) > 107
    script = tmp_path / "job"
    script.write_text("#!/bin/sh\nsrun -N 2 hostname\n")
    batch = ["sbatch", "--wait", "--nodes=2", f"--output={tmp_path}/out", str(script)]
    said = polympi("cluster", "exec", "--name", name, "--", *batch)
    assert said.exit_code == 0, said.text
    assert sorted((tmp_path / "out").read_text().split()) == [f"{name}-1", f"{name}-2"]


@pytest.mark.system
def test_slurm_ends_with_the_cluster(polympi, with_slurm: Cluster, folder: Path) -> None:
    assert "srun -N 2 --mpi=pmi2" in polympi("cluster", "status").text
    daemons = with_slurm.processes()
    names = [daemon.name() for daemon in daemons]
    assert [names.count(name) for name in ("munged", "slurmctld", "slurmd")] == [2, 1, 2]
    assert manage.down("t")
    assert not processes_of(folder / "t")
    assert not psutil.wait_procs(daemons, timeout=10)[1]


@pytest.mark.system
def test_a_daemon_that_does_not_start_leaves_nothing(polympi, folder: Path) -> None:
    if reason := slurm.why_not():
        pytest.skip(reason)
    polympi.put("slurmd", 'echo "error: no such node" >&2; exit 1')
    failed = polympi("cluster", "up", "--name", "t", "--slurm")
    assert failed.exit_code == 2
    assert "Slurm cannot be started: 'slurmd' on t-1 said 'error: no such node'." in failed.text
    assert not processes_of(folder / "t")
    assert not (folder / "t").exists()


def test_what_slurm_lacks_is_named_with_its_packages(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manage, "why_not", lambda: None)
    monkeypatch.setattr(namespaces.shutil, "which", lambda name, path=None: None if name == "munged" else name)
    with pytest.raises(
        ClusterError, match="needs the command 'munged', which is not installed: apt install munge slurm"
    ):
        manage.up("t", 2, slurm=True)
    assert not folder.exists()
