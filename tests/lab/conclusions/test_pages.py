"""What is said of the pages that message buffers lay on, and of the clocks of several hosts."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest
from built import built_analysis, summary_row

from polympi.lab.conclusions.clocks import clocks_sentence, start_sentence
from polympi.lab.conclusions.pages import huge_share, pages_sentence
from polympi.lab.conclusions.rows import rows_of
from polympi.lab.records import LaunchRecord
from polympi.lab.statistics.model import Analysis

MIB = 2**20


def _launch(binding: str, huge: int, total: int = 8 * MIB, **other: object) -> LaunchRecord:
    facts = {"launch": 0, "stack": "mpich", "block": 0, "position": 0, "ranks": 2, "outcome": "ok"} | other
    return msgspec.convert(facts | {"binding": binding, "huge_bytes": huge, "buffer_bytes": total}, LaunchRecord)


def _analysis(*launches: LaunchRecord, rows: object = (), pages: str = "huge") -> Analysis:
    made = built_analysis(rows, launches=list(launches))
    return replace(made, run=msgspec.structs.replace(made.run, pages=pages))


def _said(analysis: Analysis) -> str:
    return pages_sentence(analysis, "mpich", rows_of(analysis))


def test_the_price_of_plain_pages_and_who_has_them_are_said() -> None:
    rows = [
        summary_row(8, binding="c-pages", delta=3.0, verdict="not separated"),
        summary_row(65536, c_ns=4000, binding="c-pages", delta=3600, verdict="slower"),
        summary_row(MIB, c_ns=40000, binding="c-pages", delta=80000, verdict="slower"),
    ]
    assert _said(_analysis(_launch("c", 8 * MIB), _launch("c-pages", 0), rows=rows)) == (
        "On mpich the message buffers of all arms but c-pages asked for huge pages and got them. "
        "On the pages of a program that does not ask for huge ones, C itself takes 1.90 × C at 64 KiB and "
        "3.00 × C at 1 MiB. "
        "This kernel gives huge pages only to programs that ask (NumPy asks for its arrays of 4 MiB or more, malloc "
        "never does): yours has those of c-pages."
    )


def test_a_kernel_that_gives_huge_pages_to_all_is_distinguished_from_one_that_gives_none() -> None:
    to_all = _said(_analysis(_launch("c", 8 * MIB), _launch("c-pages", 8 * MIB)))
    assert to_all.endswith("This kernel gives huge pages to programs that do not ask, too: yours has them.")
    to_none = _said(_analysis(_launch("c", 0), _launch("c-pages", 0)))
    assert to_none == "On mpich the message buffers of all arms but c-pages asked for huge pages and got none."
    assert "got 25 % of them" in _said(_analysis(_launch("c", 2 * MIB)))


def test_of_a_run_on_plain_pages_and_of_one_that_did_not_tell() -> None:
    assert _said(_analysis(_launch("c", 0), pages="plain")) == (
        "On mpich no arm asked for huge pages; 0.0 % of the message buffers lay on them."
    )
    assert _said(_analysis(_launch("c", 0, 0))) == ""
    assert huge_share(_analysis(_launch("c", MIB, outcome="crashed")), "mpich", plain=False) is None


@pytest.mark.parametrize(("error", "said"), [(0, ""), (5200, "an error of up to 5.20 µs in 1 launch")])
def test_only_clocks_that_had_to_be_compared_are_spoken_of(error: int, said: str) -> None:
    text = clocks_sentence(_analysis(_launch("c", 0, clock_error_ns=error)), "mpich")
    assert (said in text) if said else text == ""


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (0, ""),
        (200_000, "may be wrong by 200 µs, which is 0.2 % of it: each host has its own clock."),
        (
            5_000_000,
            "may be wrong by 5.00 ms, which is 5.0 % of it: each host has its own clock, "
            "and differences in start-up below 10.0 ms mean nothing.",
        ),
    ],
)
def test_how_well_the_start_is_known_is_said_of_hosts_with_their_own_clocks(error: int, said: str) -> None:
    launches = [
        _launch("c", 0, ready_ns=100_000_000, ready_error_ns=error),
        _launch("mpi4py", 0, ready_ns=170_000_000, ready_error_ns=error // 2),
        _launch("mpi4py", 0, ready_ns=1, ready_error_ns=10**9, outcome="crashed"),
    ]
    text = start_sentence(_analysis(*launches), "mpich")
    before = "On mpich the time from the start to the first barrier "
    assert text == (before + said if said else "")


def test_a_start_that_is_not_known_has_its_reason() -> None:
    reason = "rank 0 ran on far, whose clock could not be compared with that of here: far cannot be reached"
    known, unknown = _launch("c", 0, ready_ns=100_000_000), _launch("c", 0, unready=reason)
    text = "On mpich the time from the start to the first barrier is not known"
    assert start_sentence(_analysis(unknown, unknown), "mpich") == f"{text}: {reason}."
    assert start_sentence(_analysis(known, unknown), "mpich") == f"{text} in 1 launch of 2: {reason}."
