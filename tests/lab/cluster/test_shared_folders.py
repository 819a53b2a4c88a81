"""Which folders of this machine containers see; none of it needs podman."""

import os
import sys
from pathlib import Path

import pytest

from polympi.lab.cluster.containers.folders import shared_folders
from polympi.lab.cluster.host import Host, started
from polympi.lab.errors import UsageError


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("POLYMPI_HOME", str(tmp_path / "work" / "home"))
    return tmp_path / "work"


def test_programs_are_read_and_what_is_worked_in_is_written(work: Path, tmp_path: Path) -> None:
    (tmp_path / "programs" / "inside").mkdir(parents=True)
    (tmp_path / "more").mkdir()
    shared = shared_folders([tmp_path / "programs", work / "home"], [tmp_path / "more"])
    assert shared[tmp_path / "programs"] is False
    assert (shared[work], shared[tmp_path / "more"]) == (True, True)
    assert work / "home" not in shared  # it is in one that is written
    interpreter = Path(sys.executable)
    for place in (interpreter, interpreter.resolve(), Path(os.__file__)):
        assert not {place, *place.parents}.isdisjoint(shared) or place.is_relative_to("/usr"), place
    # Those around others come first, so that the others are not hidden.
    assert list(shared) == sorted(shared, key=lambda path: path.parts)


def test_a_folder_in_which_hosts_write_stays_so_in_one_that_they_read(work: Path) -> None:
    shared = shared_folders([work.parent], [])
    assert (shared[work.parent], shared[work]) == (False, True)


def test_a_link_leads_to_the_same_folder_on_the_hosts(work: Path, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    shared = shared_folders([], [tmp_path / "link"])
    assert shared[tmp_path / "link"] is shared[tmp_path / "real"] is True


def test_what_a_container_has_of_its_own_is_not_replaced(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/tmp")
    monkeypatch.setattr(sys, "path", ["/usr/lib", "/etc", "/"])
    shared = shared_folders([Path("/usr"), Path("/var")], [])
    assert not {Path(name) for name in ("/", "/tmp", "/usr", "/usr/lib", "/etc", "/var")} & set(shared)
    assert Path("/usr/local") in shared_folders([Path("/usr/local")], [])


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("missing", "there is no such folder"),
        ("/etc", "a container has one of its own"),
        ("a:b", "cannot be seen by containers, because of the colon"),
    ],
)
def test_a_folder_that_cannot_be_seen_is_refused(name: str, sentence: str, work: Path, tmp_path: Path) -> None:
    (tmp_path / "a:b").mkdir()
    with pytest.raises(UsageError, match=sentence):
        shared_folders([], [tmp_path / name])


def test_whether_a_host_sees_a_folder_is_asked_of_the_kernel(tmp_path: Path) -> None:
    process = os.getpid()
    here = Host(name="here", holder=process, started=started(process) or 0)
    assert here.sees(tmp_path)
    assert here.sees(tmp_path / "not" / "yet")
    gone = Host(name="gone", holder=2**22 + 1, started=1)
    assert not gone.sees(tmp_path)
