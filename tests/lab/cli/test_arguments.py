"""What users write on the command line."""

import sys
from dataclasses import fields
from pathlib import Path

import polars as pl
import pytest

from polympi.lab.cli.arguments import MOST_RANKS, choose_ranks, choose_seed, choose_sizes, choose_stacks
from polympi.lab.cli.asked import Asked
from polympi.lab.errors import UsageError
from polympi.lab.records import SAMPLE_SCHEMA, Level
from polympi.lab.stacks.stack import Stack, remember


def _install(*names: str) -> None:
    python = sys.executable
    for name in names:
        remember(Stack(name=name, family="mpich", origin="system", mpiexec=python, mpicc=python, python=python))


def _names(text: str | None, *, one: bool = False) -> list[str]:
    return [stack.name for stack in choose_stacks(text, one=one)]


def test_stacks_are_those_named_or_all(empty_home: Path) -> None:
    assert _names(None) == []
    _install("mpich", "impi", "openmpi")
    assert _names(None) == _names("all") == ["impi", "mpich", "openmpi"]
    assert _names("openmpi, mpich,openmpi") == ["openmpi", "mpich"]


def test_a_profile_of_one_stack_takes_mpich_or_the_first(empty_home: Path) -> None:
    _install("impi", "openmpi")
    assert _names(None, one=True) == ["impi"]
    _install("mpich")
    assert _names(None, one=True) == ["mpich"]
    assert _names("openmpi,impi", one=True) == ["openmpi", "impi"]
    assert _names("all", one=True) == ["impi", "mpich", "openmpi"]


def test_the_most_ranks_are_what_the_samples_can_name() -> None:
    assert choose_ranks(str(MOST_RANKS)) == [MOST_RANKS]
    assert pl.Series([MOST_RANKS], dtype=SAMPLE_SCHEMA["ranks"]).to_list() == [MOST_RANKS]
    with pytest.raises(TypeError):
        pl.Series([MOST_RANKS + 1], dtype=SAMPLE_SCHEMA["ranks"])
    with pytest.raises(UsageError):
        choose_ranks(str(MOST_RANKS + 1))


def test_ranks_are_one_number_or_several() -> None:
    assert choose_ranks("2") == [2]
    assert choose_ranks(" 4, 1,2") == [1, 2, 4]


def test_a_seed_is_kept_or_made() -> None:
    assert choose_seed(0) == 0
    assert choose_seed(None) != choose_seed(None)


def test_sizes_fit_the_memory() -> None:
    assert choose_sizes("8,1KiB") == [8, 1024]
    with pytest.raises(UsageError, match="more than this machine's memory"):
        choose_sizes("1:1000000GiB")


def test_the_sizes_of_netpipe_are_powers_of_two_and_three_bytes_more_and_less() -> None:
    sizes = choose_sizes("netpipe")
    assert sizes[:8] == [1, 2, 4, 5, 7, 8, 11, 13]
    assert sizes[-3:] == [2**22 - 3, 2**22, 2**22 + 3]
    assert {2**16 - 3, 2**16, 2**16 + 3} <= set(sizes)
    assert choose_sizes("NetPIPE,8MiB") == [*sizes, 2**23]


def test_recording_is_a_setting_like_any_other_and_keeps_no_files() -> None:
    asked = Asked(**{field.name: None for field in fields(Asked)} | {"settings": ["audit", "tcp: UCX_TLS=tcp"]})
    base, recorded, other = asked.request({}).levels
    assert (base, other.name) == (Level(), "tcp")
    assert (recorded.factor, recorded.name, recorded.arguments) == ("setting", "audit", [])
    assert Path(recorded.environment["LD_PRELOAD"].partition(":")[0]).is_file()
    assert recorded.environment["POLYMPI_AUDIT_FORGET"] == "1"
