"""What is wrong with a file of records, with the names of its fields."""

import re
from typing import Any

import msgspec

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


def what_is_wrong(error: ValueError, kind: type[msgspec.Struct] | None = None) -> str:
    """A few words about a file that could not be decoded, fit to stand in a sentence of ours.

    Args:
        error: of msgspec (JSON, or the fields), of tomllib, or of a text that is not UTF-8.
        kind: what the file should hold; then a field that is not known is told with those that are.
    """
    if isinstance(error, UnicodeDecodeError):
        return "it is not text in UTF-8"
    text = str(error)
    for pattern, words in ((_MISSING, "the field '{}' is missing"), (_UNKNOWN, "there is no field '{}'")):
        if found := pattern.match(text):
            told = words.format(".".join(part for part in (found["place"], found["field"]) if part))
            known = _fields(kind, found["place"] or "") if kind and pattern is _UNKNOWN else []
            return f"{told}: {', '.join(known)} are those that are allowed here" if known else told
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
