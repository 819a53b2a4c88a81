"""What is wrong with a file, without the words of the library that read it."""

import msgspec
import pytest

from polympi.lab.bindings.manifest import Manifest
from polympi.lab.decoding import what_is_wrong
from polympi.lab.records import RunRecord

BUILD = "[build]\n"
ENTRY = '[[bindings]]\nname = "x"\nsummary = "x"\nrun = ["x"]\ncovers = ["*"]\n'
HEAD = 'name = "x"\nlanguage = "C"\nsummary = "x"\n'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name = ]", "it is not TOML in line 1, column 8"),
        ("name", "it is not TOML at its end"),
        (HEAD, "the field 'build' is missing"),
        (HEAD + BUILD + ENTRY.replace("run =", "ran ="), "there is no field 'bindings[0].ran'"),
        (HEAD.replace('"C"', "7") + BUILD + ENTRY, "the field 'language' must be text, and is a whole number"),
        (HEAD + 'stacks = "mpich"\n' + BUILD + ENTRY, "the field 'stacks' must be a list, and is text"),
        (HEAD + BUILD + ENTRY.replace('["*"]', "[1.5]"), "must be text, and is a number"),
        (HEAD + 'needs = ["gcc"]\n' + BUILD + ENTRY, "the field 'needs' must be a table, and is a list"),
    ],
)
def test_a_manifest(text: str, words: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - every library has a kind of its own
        msgspec.toml.decode(text, type=Manifest)
    assert words in what_is_wrong(caught.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"{", "it is not whole JSON"),
        (b"", "it is not whole JSON"),
        (b'{"format": 1', "it is not whole JSON"),
        (b"nothing", "it is not whole JSON"),
        (b"[]", "it must be a table, and is a list"),
        (b'{"seed": -1e400}', "a field has a value that is not possible"),
        (b'{"polympi": null}', "the field 'polympi' must be text, and is nothing"),
    ],
)
def test_a_record(content: bytes, words: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        msgspec.json.decode(content, type=RunRecord)
    assert what_is_wrong(caught.value) == words


def test_text_that_is_none() -> None:
    with pytest.raises(UnicodeDecodeError) as caught:
        b"\xff".decode()
    assert what_is_wrong(caught.value) == "it is not text in UTF-8"


def test_a_field_that_is_not_known_is_reported_with_those_that_are() -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        msgspec.toml.decode(HEAD + "[build]\nsauces = []\n" + ENTRY, type=Manifest)
    words = "there is no field 'build.sauces': sources, command, timed are those that are allowed here"
    assert what_is_wrong(caught.value, Manifest) == words
