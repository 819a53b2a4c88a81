"""The words of reports are those of the glossary."""

from pathlib import Path

import pytest

from polympi.lab.conclusions.overview import COLLECTIVES, OBJECTS
from polympi.lab.report.cells import KEY, MEANINGS, SIGNS

GLOSSARY = (Path(__file__).parents[3] / "docs" / "glossary.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("word", [*SIGNS, *OBJECTS])
def test_the_glossary_has_every_verdict_and_object(word):
    assert f"`{word}`" in GLOSSARY


def test_every_verdict_but_that_of_c_has_words_a_meaning_and_its_own_sign():
    assert KEY.keys() == MEANINGS.keys() == SIGNS.keys() - {"reference"}
    assert len(set(SIGNS.values())) == len(SIGNS)


def test_a_word_is_explained_once():
    words = [line.split("|")[1].strip() for line in GLOSSARY.splitlines() if line.startswith("| **")]
    assert len(words) == len(set(words)) > 40


def test_collectives_that_hold_ranks_together_come_first_in_the_overview_and_the_barrier_last():
    together = ("allreduce", "allgather", "alltoall", "reduce-scatter", "neighbor-alltoall", "iallreduce")
    together = (*together, "allgatherv", "alltoallv", "shared")
    rooted = ("bcast", "reduce", "gather", "scatter", "ibcast", "gatherv", "scatterv")
    files = ("write-at", "write-at-all", "read-at", "read-at-all")
    assert (*together, *rooted, *files, "barrier", "dup", "split") == COLLECTIVES
