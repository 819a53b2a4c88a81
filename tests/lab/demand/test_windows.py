"""What a file of a rank must hold for its calls to be counted."""

from __future__ import annotations

from pathlib import Path

import pytest
from audit.written import Written

from polympi.lab.audit.files import RankFile
from polympi.lab.demand.windows import windows_of
from polympi.lab.errors import ResultError


def test_a_timeline_that_had_no_room_for_all_calls_is_not_counted(tmp_path: Path) -> None:
    rank = Written(0, 2, ring=4)
    for number in range(4):
        rank.call("MPI_Send", number, number + 0.5, peer=1)
    assert windows_of(RankFile(rank.write(tmp_path))) == []  # nothing is marked
    rank.call("MPI_Send", 4.0, 4.5, peer=1)
    with pytest.raises(ResultError, match="the timeline had no room for all calls"):
        windows_of(RankFile(rank.write(tmp_path)))
