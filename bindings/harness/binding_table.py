"""The tables of ``docs/bindings.md``, made from the manifests of the bindings that come with polympi."""

from __future__ import annotations

from collections.abc import Iterable

from polympi.lab.arms import AGAIN
from polympi.lab.bindings.lines import code_lines
from polympi.lab.bindings.manifest import ALL, Binding, absent_bindings, load_bindings, shipped_folder
from polympi.lab.bindings.sources import files_meant
from polympi.lab.catalogue import MEASURED


def shipped_bindings() -> list[Binding]:
    """The bindings of the repository, those of a language together, without the A/A arm and without further folders."""
    ours = [b for b in load_bindings().values() if b.name != AGAIN and b.folder.is_relative_to(shipped_folder())]
    languages = list(dict.fromkeys(binding.language for binding in ours))
    return sorted(ours, key=lambda binding: languages.index(binding.language))


def binding_table() -> str:
    """One line for every binding."""
    lines = ["| language | binding | what it is | measures | hello | needs |", "|---|---|---|---|---|---|"]
    for b in shipped_bindings():
        folder = b.folder.relative_to(shipped_folder()).as_posix()
        name = f"[`{b.name}`](../bindings/{folder}/manifest.toml){'*' if b.entry.default else ''}"
        lines.append(f"| {b.language} | {name} | {cell(b.entry.summary)} | {measures(b)} | {hello(b)} | {needs(b)} |")
    return "\n".join(lines)


def reason_table() -> str:
    """What a binding does not do, and why, in the words of its manifest."""
    lines = ["| binding | does not do | because |", "|---|---|---|"]
    for b in shipped_bindings():
        for without in b.entry.without:
            cases = " ".join(f"`{pattern}`" for pattern in without.cases)
            lines.append(f"| `{b.name}` | {cases} | {cell(without.why)} |")
    return "\n".join(lines)


def absent_table() -> str:
    """What has no program, and why, in the words of its manifest."""
    lines = ["| language | binding | what it is | why there is no program |", "|---|---|---|---|"]
    for one in absent_bindings().values():
        lines.append(f"| {one.language} | [`{one.name}`]({one.homepage}) | {cell(one.summary)} | {cell(one.absent)} |")
    return "\n".join(lines)


def measures(binding: Binding) -> str:
    """The benchmarks that a binding measures: of the basic ones in few words, and each other one by its name."""
    if ALL in binding.entry.covers and not binding.entry.without:
        return ALL
    basic = {b.name: binding.covered(b) for b in MEASURED if b.basic_modes}
    others = [b.name for b in MEASURED if not b.basic_modes and binding.covered(b)]
    names = [name for name, count in basic.items() if count]
    without = [name for name, count in basic.items() if not count]
    told = f"basic but {listed(without)}" if without else "basic"
    told = told if len(without) < len(names) else listed(names)
    return "; ".join(part for part in (told, listed(others)) if part)


def hello(binding: Binding) -> str:
    """The length of a binding's smallest program, as a link to it."""
    lines = code_lines(binding)
    if binding.hello is None or lines is None:
        return ""
    [source] = files_meant(binding, binding.hello.source, "hello.source")
    return f"[{lines.hello} lines](../bindings/{source.resolve().relative_to(shipped_folder().resolve()).as_posix()})"


def needs(binding: Binding) -> str:
    """What a binding needs beyond the stack."""
    wanted, stacks = binding.manifest.needs, binding.manifest.stacks
    parts = [
        f"stack {listed(stacks)}" if stacks else "",
        f"commands {listed(wanted.commands)}" if wanted.commands else "",
        f"Python {listed(wanted.python)}" if wanted.python else "",
        f"Debian {listed(wanted.debian)}" if wanted.debian else "",
        f"sources of {listed(wanted.sources)}" if wanted.sources else "",
    ]
    return "; ".join(part for part in parts if part)


def listed(names: Iterable[str]) -> str:
    """Names as code."""
    return " ".join(f"`{name}`" for name in names)


def cell(text: str) -> str:
    """Text that does not end a cell."""
    return text.replace("|", "\\|")
