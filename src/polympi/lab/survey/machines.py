"""What distorts figures on each host: the findings of its record, and its limits; shared ones are reported once."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from polympi.lab.environment.doctor import OLDEST_PYTHON, Check
from polympi.lab.environment.findings import environment_findings
from polympi.lab.survey.differences import limit_words
from polympi.lab.survey.survey import Seen
from polympi.lab.survey.words import MOST_NAMED, hosts_words, who_has_what

# A rank has a file open for each connection to another rank, for each of its threads' events, and for its libraries;
# launchers have some for each rank. Open MPI and UCX hold up to four a partner.
_FILES_A_PARTNER, _FILES_BESIDE = 4, 256
# Progress threads of PMIx and of the MPI library, those of Python's NumPy, and the launcher's own.
_THREADS_A_RANK, _THREADS_BESIDE = 16, 64


def versions(hosts: Sequence[Seen]) -> Iterator[Check]:
    """Whether all hosts have the same polympi, and a Python for it."""
    without = [seen for seen in hosts if seen.folder is None]
    if without:
        yield Check(
            "polympi",
            "problem",
            f"It is not there on {hosts_words([seen.name for seen in without], len(hosts))} "
            f"({without[0].metadata.get('executable')}: {without[0].why_no_polympi}).",
            "Install it into a folder that all hosts see, and start it from there.",
            tuple(seen.name for seen in without),
        )
    there = [seen for seen in hosts if seen.folder is not None]
    if words := who_has_what({seen.name: seen.version for seen in there}):
        yield Check("polympi differs", "problem", f"{words}.", "Install the same version on all hosts.")
    elif there and not without:
        yield Check("polympi", "ok", f"{there[0].version} on {hosts_words([seen.name for seen in there], len(hosts))}.")
    oldest = ".".join(map(str, OLDEST_PYTHON))
    old = [seen for seen in hosts if _version(str(seen.metadata.get("python"))) < OLDEST_PYTHON]
    if old:
        yield Check(
            "Python is too old",
            "problem",
            f"{old[0].metadata.get('python')} on {hosts_words([seen.name for seen in old], len(hosts))}.",
            f"Install Python {oldest} or newer.",
            tuple(seen.name for seen in old),
        )


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".")[:2] if part.isdigit())


def findings(hosts: Sequence[Seen], common: Mapping[str, Any]) -> Iterator[Check]:
    """The findings about each host, those with the same title together; `common` is what all records also have."""
    found: dict[tuple[str, str, str], dict[str, str]] = {}
    for seen in hosts:
        if seen.record:
            for one in environment_findings({**seen.record, **common}, seen.slots, by_network=len(hosts) > 1):
                found.setdefault((one.level, one.title, one.advice), {})[seen.name] = one.text
    for (level, title, advice), texts in sorted(found.items(), key=lambda one: one[0][0] != "warning"):
        status = level
        yield Check(title, status, _together(texts, len(hosts)), advice, tuple(texts))


def _together(texts: Mapping[str, str], of: int) -> str:
    """One text for all hosts where it is the same, else that of each."""
    names = list(texts)
    if len(set(texts.values())) == 1:
        return f"On {hosts_words(names, of)}: {texts[names[0]]}"
    shown = [f"On {name}: {texts[name]}" for name in names[:MOST_NAMED]]
    more = [f"And on {len(names) - MOST_NAMED} more."] if len(names) > MOST_NAMED else []
    return " ".join([*shown, *more])


def limits(hosts: Sequence[Seen]) -> Iterator[Check]:
    """Limits of processes that are too low for the ranks of a run on these hosts."""
    ranks = sum(seen.slots for seen in hosts)
    wanted = {
        "open_files": (_FILES_BESIDE + _FILES_A_PARTNER * ranks, "open files", "-n"),
        "processes": (0, "processes of this user", "-u"),  # depends on the host's slots
    }
    low: dict[str, list[str]] = {}
    for seen in hosts:
        for name, (least, what, option) in wanted.items():
            needed = least or _THREADS_BESIDE + _THREADS_A_RANK * seen.slots
            limit = (seen.metadata.get("limits") or {}).get(name, [None])[0]
            if limit is not None and 0 <= limit < needed:
                text = f"{what}: {limit}, and {needed} are wanted (ulimit {option})"
                low.setdefault(text, []).append(seen.name)
        locked = (seen.metadata.get("limits") or {}).get("locked_memory_bytes", [None])[0]
        if seen.metadata.get("infiniband") and limit_words(locked) not in (None, "unlimited"):
            text = f"locked memory: {locked} bytes, and InfiniBand registers all buffers (ulimit -l unlimited)"
            low.setdefault(text, []).append(seen.name)
    for text, names in low.items():
        yield Check(
            "low limit",
            "warning",
            f"On {hosts_words(names, len(hosts))}, {text}.",
            "Raise it in /etc/security/limits.conf for logins by ssh, or in the batch system or container that "
            "starts ranks.",
            tuple(names),
        )
    if not low:
        yield Check("limits", "ok", f"Open files, processes and locked memory are enough for {ranks} ranks.")
