"""The lines between the title of an OSU table and its rows: its heading, and settings that change what is measured."""

import re

_COLUMN = re.compile(
    r"Size(?: ?[(\[]B[)\]])?|(?:Avg |Min |Max )?Latency ?[(\[]us[)\]]|Bandwidth ?[(\[]MB/s[)\]]"
    r"|(?:Pure|Min|Max) Comm\.? ?\(us\)|Coll\. Init ?\(us\)|P\d+ Tail (?:Lat\(us\)|BW\(MB/s\))"
    r"|\S+(?: \S+)*?(?=\s{2,}|$)"
)
_UNIT = re.compile(r"[(\[](?:us|B|MB/s)[)\]]| ")

# What a column holds, by its name without blanks and brackets. Of a nonblocking collective, "pure communication" is
# the collective alone; "overall" has a computation in it.
_MEANING = {
    "size": "size",
    "latency": "time",
    "avglatency": "time",
    "minlatency": "min",
    "maxlatency": "max",
    "purecomm.": "pure",
    "mincomm.": "min",
    "maxcomm.": "max",
    "bandwidth": "rate",
    "mb/s": "rate",
    "iterations": "repetitions",
    "validation": "validation",
    "transmitsize": "sent",
}
_DERIVED = {"Messages/s"}  # the rate again, in messages
_FIGURES = {"time", "pure", "min", "max", "rate"}
# A heading without sizes has these columns of times that are not imported, and no other.
_OF_AN_OVERLAP = re.compile(r"Overall|Compute|Coll\. Init|MPI_Test|MPI_Wait|Overlap|P\d+ Tail ")
# Names of columns have capitals and few words, which a sentence has not.
_NAME = re.compile(r"(?:[A-Z0-9]\S*)(?: [A-Z0-9(]\S*){0,3}")

_THREADS = re.compile(r"Number of (Sender|Receiver) threads: (\d+)")
_FORKED = re.compile(r"Number of forked processes in (sender|receiver): (\d+)")
_PAIRS_WINDOW = re.compile(r"\[ pairs: \d+ \] \[ window size: (\w+) \]")
_ONE_SIDED = re.compile(r"(?:Window creation|Synchronization): (\S+)")
_MEMORY = re.compile(r"(Send Buffer|Receive Buffer|Rank \d+ Memory) on (\w+(?: \(\w+\))?)")
_SETTING = re.compile(r"[A-Za-z][\w /()-]*: *\S.*")
_HARMLESS = re.compile(r"\W*|Overall = .*")


def columns_of(text: str) -> list[str]:
    """What the columns of a heading hold, by name if not imported; empty if it isn't a heading."""
    found = _COLUMN.findall(text)
    names = [_MEANING.get(_UNIT.sub("", n).lower(), n) for n in found]
    others = unread_columns(names)
    if not _FIGURES.intersection(names):
        return []
    alike = _NAME.fullmatch if names[0] == "size" else _OF_AN_OVERLAP.match
    return names if all(alike(n) for n in others) else []


def unread_columns(columns: list[str]) -> list[str]:
    """Those of the columns that are not imported and say something new."""
    return [n for n in columns if n not in _MEANING.values() and n not in _DERIVED]


def workers_of(comment: str) -> str | None:
    """Threads or processes of one side, which stand above the title or below it, by version; None for other lines."""
    if found := _THREADS.search(comment):
        return f"{found[2]} {found[1].lower()} thread{'s' * (found[2] != '1')}"
    if found := _FORKED.search(comment):
        kind = f" forked process{'es' * (found[2] != '1')}"
        return f"with {found[2]}{kind} in sender" if found[1] == "sender" else f"and {found[2]}{kind} in receiver"
    return None


def mode_of(mode: str, details: list[str]) -> str:
    """A mode with what is said above the rows; clauses that begin with "with" or "and" continue without a comma."""
    return mode + "".join(f" {one}" if one.startswith(("with ", "and ")) else f", {one}" for one in details)


def settings_of(comment: str) -> list[str]:
    """What a line above the rows sets, as words for the mode; empty if it sets nothing that is known."""
    if window := _PAIRS_WINDOW.search(comment):
        return [f"window {window[1]}"]
    if one_sided := _ONE_SIDED.search(comment):
        return [one_sided[1]]
    return [f"{what.lower()} on {where}" for what, where in _MEMORY.findall(comment)]


def is_setting(comment: str) -> bool:
    """Whether a line that is not known has the form of a setting, ``name: value``."""
    return _SETTING.fullmatch(comment) is not None


def is_harmless(comment: str) -> bool:
    """Whether a line is known to change nothing."""
    return _HARMLESS.fullmatch(comment) is not None
