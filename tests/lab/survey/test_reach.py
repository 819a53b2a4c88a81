"""Names that cannot be resolved, and hosts that do not answer."""

import socket
from collections.abc import Sequence
from pathlib import Path

import pytest
from processes import commands_with

from polympi.lab.survey.reach import HostLost, unresolved
from polympi.lab.survey.session import what_is_lost

MISSING = "no-such-host.invalid"  # a domain that never exists (RFC 2606)


def ssh(folder: Path, monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """Let ssh say this of its configuration."""
    said = "\n".join(f"echo '{line}'" for line in lines)
    (folder / "ssh").write_text(f"#!/bin/sh\n{said}\n")
    (folder / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")


def test_names_that_cannot_be_resolved_are_named_with_what_the_system_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ssh(tmp_path, monkeypatch, f"hostname {MISSING}", "proxyusefdpass no")
    found = unresolved(["127.0.0.2", MISSING, f"me@{MISSING}", f"{'a' * 70}.invalid"], {})
    assert list(found) == [MISSING, f"me@{MISSING}", f"{'a' * 70}.invalid"]
    assert all(found.values())


@pytest.mark.parametrize("line", ["hostname 127.0.0.2", "proxyjump gate", "proxycommand nc %h %p"])
def test_names_that_ssh_maps_or_hands_to_a_proxy_are_not_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    ssh(tmp_path, monkeypatch, f"hostname {MISSING}", line)
    assert unresolved([MISSING], {}) == {}


def test_a_job_of_slurm_has_its_own_addresses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ssh(tmp_path, monkeypatch)
    assert unresolved([MISSING], {"SLURM_JOB_ID": "7"}) == {}


def _reach(host: str, command: Sequence[str]) -> list[str]:
    if host.startswith("gone"):
        raise HostLost("is gone")
    if host.startswith("refuses"):
        return ["sh", "-c", "echo 'no route to host' >&2; exit 255"]
    if host.startswith("silent"):
        return ["sleep", "600.25"]
    return list(command)


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["one", "another"], None),
        (["one", "refuses", "gone"], "refuses cannot be reached: 'no route to host'"),
        (["one", "gone", "refuses"], "gone is gone"),
        (["silent", "one"], "silent did not answer within 2 s"),
        (["refuses", "gone"], None),  # the way to reach them may be what is wrong
        (["refuses"], None),
        (["refuses-itself", "one"], None),
    ],
)
def test_a_host_that_does_not_answer_is_lost_where_another_one_answers(
    names: list[str], said: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "refuses-itself.example")
    assert what_is_lost(names, _reach, timeout_s=2) == said
    assert not commands_with("sleep 600.25")
