"""Records in separate files, and what is wrong with one, with the names of its fields."""

import re
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from polympi.lab.errors import system_reason

_KINDS = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
    "null": "nothing",
    "bytes": "text",
}
_PLACE = r"(?: - at `\$\.?(?P<place>[^`]*)`)?"
_MISSING = re.compile(rf"Object missing required field `(?P<field>[^`]*)`{_PLACE}")
_UNKNOWN = re.compile(rf"Object contains unknown field `(?P<field>[^`]*)`{_PLACE}")
_OTHER_TYPE = re.compile(rf"Expected `(?P<expected>[^`]*)`, got `(?P<got>[^`]*)`{_PLACE}")
_TOML_PLACE = re.compile(r"\(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)")


_Record = TypeVar("_Record", bound=msgspec.Struct)


def read_record(path: Path, kind: type[_Record]) -> _Record:
    """The record in a file of JSON; a ValueError says in a few words why it cannot be read."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, ValueError) as error:
        raise ValueError(system_reason(error) if isinstance(error, OSError) else what_is_wrong(error)) from error


def write_record(path: Path, record: msgspec.Struct) -> None:
    """Write a record in one step: a reader gets the old one or the new one, and always a whole one."""
    partial = path.with_suffix(".partial")
    partial.write_bytes(msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n")
    partial.rename(path)


def what_is_wrong(error: ValueError, kind: type[msgspec.Struct] | None = None) -> str:
    """A few words about a file that could not be decoded, as JSON, TOML or UTF-8, fit to stand in a sentence of ours.

    With the `kind` that it should hold, an unknown field is reported with those that are allowed.
    """
    if isinstance(error, UnicodeDecodeError):
        return "it is not text in UTF-8"
    text = str(error)
    for pattern, words in ((_MISSING, "the field '{}' is missing"), (_UNKNOWN, "there is no field '{}'")):
        if found := pattern.match(text):
            what = words.format(".".join(part for part in (found["place"], found["field"]) if part))
            known = _fields(kind, found["place"] or "") if kind and pattern is _UNKNOWN else []
            return f"{what}: {', '.join(known)} are those that are allowed here" if known else what
    if found := _OTHER_TYPE.match(text):
        where = f"the field '{found['place']}'" if found["place"] else "it"
        return f"{where} must be {_kind(found['expected'])}, and is {_kind(found['got'])}"
    return _not_whole(text)


def _fields(kind: type[msgspec.Struct], place: str) -> list[str]:
    """The fields of the table at a place such as ``bindings[0].without[1]``."""
    info: Any = msgspec.inspect.type_info(kind)
    for name in filter(None, re.sub(r"\[[^]]*\]", "", place).split(".")):
        info = next(field.type for field in info.fields if field.encode_name == name)
        info = getattr(info, "item_type", info)  # of a list: what it lists
    return [field.encode_name for field in getattr(info, "fields", ())]


def _not_whole(text: str) -> str:
    if found := _TOML_PLACE.search(text):
        where = f"in line {found['line']}, column {found['column']}" if found["line"] else "at its end"
        return f"it is not TOML {where}"
    if "JSON" in text or "truncated" in text:
        return "it is not whole JSON"
    return "a field has a value that is not possible"


def _kind(names: str) -> str:
    return " or ".join(_KINDS.get(name.strip(), "another value") for name in names.split("|"))
