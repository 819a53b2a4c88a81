"""mpi4py's own tests, run with it as it is and accelerated: the same ones pass.

They are fetched from the package index, at the version that the stacks have, and are not part of this repository.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import tarfile
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from sharing import MPICH_SLEEPS

from polympi.lab.stacks.stack import Stack

pytestmark = [pytest.mark.mpi, pytest.mark.large, pytest.mark.busy]

VERSION = "4.1.2"
SHA256 = "56860286dc45f20e8821e93cb06669e30462348bf866f685553fa4b712d58d02"
INDEX = "https://pypi.org/simple/mpi4py/"
MODULES = (
    *(
        "test_p2p_obj",
        "test_p2p_obj_matched",
        "test_cco_obj",
        "test_cco_obj_inter",
        "test_p2p_buf",
        "test_p2p_buf_matched",
    ),
    *("test_cco_buf", "test_msgspec", "test_comm", "test_comm_inter", "test_comm_topo", "test_request", "test_status"),
    *("test_pickle", "test_objmodel", "test_subclass", "test_handle", "test_doc", "test_attributes", "test_exceptions"),
)
# It looks into mpi4py's table of locks, which is for collectives of objects that mpi4py makes itself.
INTERNAL = "testCommLock"
PROGRAM = """
import importlib
import io
import sys
import unittest
accelerated, folder, *names = sys.argv[1:]
sys.path.insert(0, folder)
sys.modules["cupy"] = sys.modules["numba"] = None
if accelerated == "True":
    import polympi.mpi4py
    polympi.mpi4py.install()
from mpi4py import MPI
for name in names:
    suite = unittest.defaultTestLoader.loadTestsFromModule(importlib.import_module(name))
    result = unittest.TextTestRunner(stream=io.StringIO(), verbosity=0).run(suite)
    print(f"ran {name} {result.testsRun}")
    for test, trace in result.failures + result.errors:
        print(f"failed {test.id()}")
        print(trace, file=sys.stderr)
"""


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the tests of mpi4py."""
    try:
        question = urllib.request.Request(INDEX, headers={"Accept": "application/vnd.pypi.simple.v1+json"})
        with urllib.request.urlopen(question, timeout=60) as answer:
            files = json.load(answer)["files"]
        place = next(file["url"] for file in files if file["filename"] == f"mpi4py-{VERSION}.tar.gz")
        with urllib.request.urlopen(place, timeout=120) as answer:
            packed = answer.read()
    except (urllib.error.URLError, OSError) as error:
        pytest.skip(f"the sources of mpi4py cannot be fetched from {INDEX}: {error}")
    assert hashlib.sha256(packed).hexdigest() == SHA256
    folder = tmp_path_factory.mktemp("mpi4py")
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        for member in archive.getmembers():
            if re.fullmatch(rf"mpi4py-{re.escape(VERSION)}/test/\w+\.py", member.name):
                content = archive.extractfile(member)
                assert content is not None
                (folder / Path(member.name).name).write_bytes(content.read())
    return folder


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_the_same_tests_pass(run, stack: Stack, suite: Path, ranks: int) -> None:
    def outcome(accelerated: bool) -> tuple[list[str], list[str]]:
        arguments = [str(accelerated), str(suite), *MODULES]
        lines = run(PROGRAM, ranks, stack, timeout=600, env=MPICH_SLEEPS, arguments=arguments).succeeded().splitlines()
        ran = sorted(line for line in lines if line.startswith("ran "))
        failed = sorted({line for line in lines if line.startswith("failed ") and INTERNAL not in line})
        return ran, failed

    accelerated, own = outcome(True), outcome(False)
    assert len(accelerated[0]) == len(MODULES) * ranks
    assert accelerated == own
