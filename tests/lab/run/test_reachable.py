"""Before anything is launched, hosts that do not answer or cannot connect are named."""

import socket
from collections.abc import Sequence
from pathlib import Path

import pytest
from short_runs import short_request

from polympi.lab.errors import UsageError
from polympi.lab.run import reachable
from polympi.lab.run.reachable import unconnected
from polympi.lab.run.request import Request
from polympi.lab.stacks.launching import asked_launching

GONE = ["sh", "-c", "echo 'No route to host' >&2; exit 255"]


def asked(folder: Path, hosts: Sequence[str], **changes: object) -> Request:
    file = folder / "hosts"
    file.write_text("\n".join(hosts))
    return short_request(folder / "out", [], ["c"], ["latency"], hostfile=file, **changes)


def reached(monkeypatch: pytest.MonkeyPatch, *gone: str) -> list[str]:
    """Let each host be this machine, but for those that are gone; the hosts that were asked."""
    hosts: list[str] = []

    def reach(host: str, command: Sequence[str]) -> list[str]:
        hosts.append(host)
        return GONE if host in gone else list(command)

    monkeypatch.setattr(reachable, "way_to", lambda *_: reach)
    return hosts


def test_hosts_that_connect_say_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reached(monkeypatch)
    said: list[str] = []
    assert unconnected(asked(tmp_path, ["127.0.0.2", "127.0.0.1"]), said.append) == []
    assert said == ["trying the connections between 2 hosts"]


def test_a_host_that_does_not_answer_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reached(monkeypatch, "n2", "n3")
    with pytest.raises(UsageError) as refused:
        unconnected(asked(tmp_path, ["127.0.0.2", "n2", "n3"]), str)
    assert str(refused.value).startswith(
        "The host n2 cannot be reached: 'No route to host' (1 more do not answer either). "
    )


def test_nothing_is_said_of_hosts_if_none_can_be_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reached(monkeypatch, "n1", "n2")
    assert unconnected(asked(tmp_path, ["n1", "n2"]), str) == []
    here = socket.gethostname()
    reached(monkeypatch, here)
    assert unconnected(asked(tmp_path, [here, "127.0.0.2"]), str) == []


def test_real_hosts_that_cannot_connect_are_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reached(monkeypatch)
    [warning] = unconnected(asked(tmp_path, ["127.0.0.2", "no-such-host.invalid"]), str)
    assert (warning.level, warning.title) == ("warning", "Hosts not connected")
    assert warning.text == "The name no-such-host.invalid is not known on 127.0.0.2."


def test_nobody_asks_where_there_is_one_host_or_a_launcher_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hosts = reached(monkeypatch, "n1", "n2")
    assert unconnected(asked(tmp_path, ["n1:4"]), str) == []
    launching = asked_launching("sh -c {ranks} {program}", None, ())
    assert unconnected(asked(tmp_path, ["n1", "n2"], launching=launching), str) == []
    assert hosts == []


def test_a_host_without_shared_memory_or_room_for_temporary_files_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached(monkeypatch)
    monkeypatch.setattr(reachable, "FULL_BYTES", 2**60)
    memory, temporary = unconnected(asked(tmp_path, ["127.0.0.2", "127.0.0.1"]), str)
    assert (memory.title, temporary.title) == ("Shared memory is full", "Temporary files are full")
    assert memory.text.startswith("On 127.0.0.2 and 127.0.0.1 /dev/shm has only ")
    assert temporary.text.startswith("On 127.0.0.2 and 127.0.0.1 TMPDIR (/tmp) has only ")
