"""Host names that cannot be resolved are found, and those that only ssh knows are not among them."""

from __future__ import annotations

from pathlib import Path

import pytest

from polympi.lab.survey.names import unresolved

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


def test_a_job_of_slurm_has_addresses_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ssh(tmp_path, monkeypatch)
    assert unresolved([MISSING], {"SLURM_JOB_ID": "7"}) == {}
