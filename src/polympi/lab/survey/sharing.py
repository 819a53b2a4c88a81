"""Whether all hosts see the folder that results go into, and the programs that are started on them."""

import contextlib
import secrets
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from polympi.lab.environment.doctor import Check
from polympi.lab.errors import UsageError, system_reason
from polympi.lab.survey.survey import Seen, Survey
from polympi.lab.survey.words import hosts_words

PATIENCE_S = 5.0  # a network drive shows new files at once or when it asks the server again, after 3 s on NFS


def shared_folder(survey: Survey, folder: Path) -> Iterator[Check]:
    """Write a file for all hosts to read, and let each write one that is read here; UsageError if that can't be."""
    token = secrets.token_hex(8)
    try:
        scratch = Path(tempfile.mkdtemp(prefix=".polympi-doctor-", dir=folder))
    except OSError as error:
        raise UsageError(f"No file can be made in '{folder}': {system_reason(error)}.") from error
    try:
        (scratch / "token").write_text(token, encoding="ascii")
        names = list(survey.hosts)
        answers = survey.ask(
            "share",
            PATIENCE_S + 15,
            lambda name: {
                "read": str(scratch / "token"),
                "wanted": token,
                "write": str(scratch / f"from-{names.index(name)}"),
                "patience_s": PATIENCE_S,
            },
        )
        back = {name: _read(scratch / f"from-{number}") == token for number, name in enumerate(names)}
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    yield from judge_folder(answers, back, folder)


def judge_folder(answers: Mapping[str, Mapping[str, Any]], back: Mapping[str, bool], folder: Path) -> Iterator[Check]:
    """What the hosts have seen and written."""
    advice = "Start polympi in a folder on a network drive that all hosts have, or name one with --directory."
    blind: dict[str, list[str]] = {}
    mute = []
    for name, answer in answers.items():
        if not answer["seen"]:
            blind.setdefault(answer["why"], []).append(name)
        elif not answer["written"] or not back[name]:
            mute.append(name)
    for why, names in blind.items():
        text = f"The folder '{folder}' is not shared with {hosts_words(names)}: {why}."
        yield Check("shared folder", "problem", text, advice, tuple(names))
    if mute:
        why = answers[mute[0]].get("why", "what is written there does not come back")
        text = f"The folder '{folder}' cannot be written by {hosts_words(mute)}: {why}."
        yield Check("shared folder", "problem", text, advice, tuple(mute))
    if not blind and not mute and answers:
        yield Check("shared folder", "ok", f"All hosts see '{folder}', and what each of them writes there.")


def installed(hosts: Sequence[Seen], needed: Mapping[str, str]) -> Iterator[Check]:
    """Whether the programs that a run starts are on every host."""
    missing: dict[str, list[str]] = {}
    for seen in hosts:
        there = seen.metadata["paths"]
        for path, what in needed.items():
            if not there.get(path):
                missing.setdefault(f"{what} ({path})", []).append(seen.name)
    for what, names in missing.items():
        yield Check(
            "missing",
            "problem",
            f"{what} is not there on {hosts_words(names, len(hosts))}.",
            "Install polympi and its stacks into a folder that all hosts see under the same path (POLYMPI_HOME), "
            "or install the same on each.",
            tuple(names),
        )


def _read(path: Path) -> str | None:
    with contextlib.suppress(OSError):
        return path.read_text(encoding="ascii")
    return None
