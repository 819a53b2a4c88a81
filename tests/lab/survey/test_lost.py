"""A host that does not answer is told from a way to reach hosts that does not work."""

from __future__ import annotations

import socket
from collections.abc import Sequence

import pytest
from processes import commands_with

from polympi.lab.survey.lost import what_is_lost
from polympi.lab.survey.reach import HostLost


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
