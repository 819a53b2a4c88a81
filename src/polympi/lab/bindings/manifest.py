"""Manifests: the bindings of a folder, how their program is built and run, what they cover.

A manifest is described in ``docs/adding-a-binding.md``.
"""

import fnmatch
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec
from packaging.requirements import InvalidRequirement, Requirement

from polympi.lab.arms import AGAIN, REFERENCE
from polympi.lab.catalogue import BENCHMARKS, Benchmark, Case
from polympi.lab.decoding import what_is_wrong
from polympi.lab.errors import UsageError, system_reason
from polympi.lab.suggest import did_you_mean

EXTRA_FOLDERS_VARIABLE = "POLYMPI_BINDINGS"  # folders of further bindings, separated as PATH is
ALL = "all"  # instead of names: all bindings; instead of patterns: all cases, those of later benchmarks too
_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]*"
_PATTERNS = [f"{b.name}/{mode}/{payload}" for b in BENCHMARKS.values() for mode, payload in b.combinations]


class Source(msgspec.Struct, forbid_unknown_fields=True):
    """Sources that no package index has, so that the user gives them."""

    file: str  # one of their files, by which they are recognised
    homepage: str


class Needs(msgspec.Struct, forbid_unknown_fields=True):
    """What a binding needs beyond the stack, and how to get it."""

    commands: list[str] = []  # programs on `PATH`
    python: list[str] = []  # requirements of the stack's Python environment
    debian: list[str] = []  # packages with which Debian brings the rest
    help: str = ""  # one sentence that says how to get it
    sources: dict[str, Source] = {}  # by name, what the user gives: `polympi source add`


class Build(msgspec.Struct, forbid_unknown_fields=True):
    """How the program is built; an empty command builds nothing."""

    sources: list[str] = []  # patterns of the files that it is built from
    command: list[str] = []  # the program and its arguments
    timed: list[str] = []  # patterns of those files that hold the timed part, whose lines are counted


class Hello(msgspec.Struct, forbid_unknown_fields=True):
    """The program in which each rank says which it is: the least that an MPI program consists of."""

    source: str  # its only file, whose lines are counted
    run: list[str]  # the command of one rank
    build: list[str] = []  # the command that makes it; empty if the binding's own build does, or if nothing is made


class Without(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Patterns of cases that the coverage would match but the binding does not do, and why."""

    cases: list[str]
    why: str


class Announces(msgspec.Struct, forbid_unknown_fields=True):
    """How an interface with its own messages sends large data between hosts."""

    from_bytes: int  # the size from which data follow a message that announces them
    # By the name of a collective, how many rounds of small messages it makes before such data.
    rounds: dict[str, int] = {}
    # By the name of a collective, up to how many bytes such data follow their announcement down a binomial tree of the
    # hosts, without these rounds.
    follows: dict[str, int] = {}


class Entry(msgspec.Struct, forbid_unknown_fields=True):
    """An entry ``[[bindings]]`` of a manifest: one binding, which is a way of running its program."""

    name: str
    summary: str
    run: list[str]
    covers: list[str]
    default: bool = True
    without: list[Without] = []
    timed: list[str] = []  # instead of the manifest's `build.timed`
    hello: Hello | None = None  # instead of the manifest's
    # By the name of an application, the patterns of the files of its solver, whose lines are counted.
    applications: dict[str, list[str]] = {}
    # By the name of an application, the functions and classes of these files that communicate, in Python or C.
    communication: dict[str, list[str]] = {}
    not_counted: list[str] = []  # functions and classes of these files that another entry runs
    # Iterations of a batch at most, of an interface whose calls take milliseconds; 0 for as many as C does.
    most_iterations: int = 0
    # By the name of a collective, how many calls of MPI's collective are in one of the binding's, if there are several,
    # as where sizes go before the data.
    calls: dict[str, int] = {}
    announces: Announces | None = None  # of an interface that builds collectives from its own messages
    doubles: bool = False  # whether its allreduce is recursive doubling of such messages, whatever the library's is


class Manifest(msgspec.Struct, forbid_unknown_fields=True):
    """The content of ``manifest.toml``."""

    name: str
    language: str
    summary: str
    build: Build
    bindings: list[Entry]
    homepage: str = ""
    stacks: list[str] = []
    needs: Needs = msgspec.field(default_factory=Needs)
    hello: Hello | None = None


class Absent(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The content of a ``manifest.toml`` without a program: what one asks for in vain, and why."""

    name: str
    language: str
    summary: str
    homepage: str
    absent: str  # why there is no program, a sentence or two, and what somebody would need who writes one


class Binding(msgspec.Struct, frozen=True):
    """A binding that can be launched: its entry in a manifest, and where the folder of the manifest is."""

    name: str
    folder: Path
    manifest: Manifest
    entry: Entry

    @property
    def language(self) -> str:
        """The language its program is written in."""
        return self.manifest.language

    @property
    def hello(self) -> Hello | None:
        """Its smallest program, if the manifest names one."""
        return self.entry.hello or self.manifest.hello

    @property
    def timed(self) -> list[str]:
        """The patterns of the files that hold its timed part."""
        return self.entry.timed or self.manifest.build.timed

    def runs_on(self, stack: str, family: str) -> bool:
        """Whether the manifest names this stack, by name or by family; an empty list means every stack."""
        return not self.manifest.stacks or stack in self.manifest.stacks or family in self.manifest.stacks

    def why_not(self, case: Case) -> str | None:
        """Why the binding does not cover a case; None when it does."""
        for exclusion in self.entry.without:
            if any(fnmatch.fnmatchcase(case.pattern, pattern) for pattern in exclusion.cases):
                return exclusion.why
        if any(_claims(pattern, case.pattern) for pattern in self.entry.covers):
            return None
        return "outside what this binding's manifest covers"

    def covered(self, benchmark: Benchmark) -> int:
        """How many combinations of a benchmark's modes and payloads the binding covers."""
        cases = (Case(benchmark.name, mode, payload, 0) for mode, payload in benchmark.combinations)
        return sum(self.why_not(case) is None for case in cases)


def _claims(pattern: str, case: str) -> bool:
    """Whether a pattern of ``covers`` means a case; benchmarks, or modes of them, that are not basic have to be named.

    So a new benchmark is measured only with those bindings that have loops for it, and with the reference.
    """
    benchmark, mode, _ = case.split("/")
    named = pattern.partition("/")[0] == benchmark
    matches = fnmatch.fnmatchcase(case, pattern) and (named or mode in BENCHMARKS[benchmark].basic_modes)
    return pattern == ALL or matches


def shipped_folder() -> Path:
    """The folder of the bindings that come with polympi: in the installed package, or in a checkout."""
    installed = Path(__file__).with_name("programs")
    return installed if installed.is_dir() else Path(__file__).parents[4] / "bindings"


def applications_folder() -> Path:
    """The folder of the applications, which some bindings run: in the installed package, or in a checkout."""
    installed = Path(__file__).with_name("applications")
    return installed if installed.is_dir() else Path(__file__).parents[4] / "examples" / "applications"


def load_bindings(extra_folders: Iterable[Path] = ()) -> dict[str, Binding]:
    """All bindings by name: shipped, of ``$POLYMPI_BINDINGS`` and other folders, and the A/A arm ``c-again``."""
    found: dict[str, Binding] = {}
    for path in manifests(extra_folders):
        manifest = load_manifest(path)
        if isinstance(manifest, Absent):
            continue
        for entry in manifest.bindings:
            if entry.name in found:
                raise UsageError(f"Two bindings are named '{entry.name}': {found[entry.name].folder}, {path}.")
            found[entry.name] = Binding(entry.name, path.parent, manifest, entry)
    if REFERENCE in found:
        found[AGAIN] = msgspec.structs.replace(found[REFERENCE], name=AGAIN)
    return found


def absent_bindings(extra_folders: Iterable[Path] = ()) -> dict[str, Absent]:
    """What is known and has no program, by name, from the same folders."""
    found = [load_manifest(path) for path in manifests(extra_folders)]
    return {manifest.name: manifest for manifest in found if isinstance(manifest, Absent)}


def manifests(extra_folders: Iterable[Path] = ()) -> list[Path]:
    """All manifests: the shipped ones, those of ``$POLYMPI_BINDINGS``, and those of further folders."""
    named = [Path(p) for p in os.environ.get(EXTRA_FOLDERS_VARIABLE, "").split(os.pathsep) if p]
    found: list[Path] = []
    for root in (shipped_folder(), *named, *extra_folders):
        if not root.is_dir():
            raise UsageError(f"There is no folder of bindings '{root}'.")
        found += _manifests(root)
    return found


def _manifests(root: Path) -> list[Path]:
    """The manifests below a folder, at any depth; what lies below one belongs to its program."""
    found, seen = [], set()
    for folder, folders, files in os.walk(root, followlinks=True):
        if "manifest.toml" in (*folders, *files) and Path(folder) != root:
            found.append(Path(folder, "manifest.toml"))
            folders.clear()
        seen.add(str(Path(folder).resolve()))  # a link may lead back to where it lies
        folders[:] = [name for name in folders if str(Path(folder, name).resolve()) not in seen]
    return sorted(found)


def load_manifest(path: Path) -> Manifest | Absent:
    """Read and check one manifest; one with the field ``absent`` has no program."""
    kind: type[Manifest | Absent] = Manifest
    try:
        content = msgspec.toml.decode(path.read_text(encoding="utf-8"))
        kind = Absent if "absent" in content else Manifest
        manifest: Manifest | Absent = msgspec.convert(content, kind)
    except OSError as error:
        raise UsageError(f"The manifest '{path}' cannot be read: {system_reason(error)}.") from error
    except ValueError as error:  # of TOML, of UTF-8 and of msgspec alike
        raise unusable(path, what_is_wrong(error, kind)) from error
    if isinstance(manifest, Manifest) and (mistake := _mistake(manifest)):
        raise unusable(path, mistake)
    return manifest


def unusable(path: Path, why: str) -> UsageError:
    """The error of a manifest that cannot be used."""
    return UsageError(
        f"The manifest '{path}' cannot be used: {why} (docs/adding-a-binding.md says what belongs there)."
    )


def _mistake(manifest: Manifest) -> str | None:
    """The first field whose value means nothing, and what is allowed in it; None if all is well."""
    for requirement in manifest.needs.python:
        try:
            Requirement(requirement)
        except InvalidRequirement:
            return f"in the field 'needs.python', '{requirement}' is not a requirement that pip understands"
    for name in manifest.needs.sources:
        if not re.fullmatch(_NAME, name):
            return f"the field 'needs.sources' has the name '{name}': a name has letters, digits, '.', '_' and '-'"
    if not manifest.bindings:
        return "the field 'bindings' is empty: there is one entry for each way of running the program"
    mistakes = (_mistake_of_entry(entry, f"bindings[{number}]") for number, entry in enumerate(manifest.bindings))
    return next((mistake for mistake in mistakes if mistake), None)


def _mistake_of_ways(entry: Entry, place: str) -> str | None:
    """What is wrong in how an entry says that it makes its collectives."""
    announces = entry.announces or Announces(from_bytes=1)
    fields = {"calls": entry.calls, "announces.rounds": announces.rounds, "announces.follows": announces.follows}
    for field, numbers in fields.items():
        for name, number in numbers.items():
            if name not in BENCHMARKS or BENCHMARKS[name].kind not in ("joint", "rooted") or number < 1:
                what = "bytes" if field == "announces.follows" else field.rsplit(".", maxsplit=1)[-1]
                return f"in the field '{place}.{field}', '{name} = {number}' is not a number of {what} of a collective"
    if entry.announces and entry.announces.from_bytes < 1:
        return f"the field '{place}.announces.from_bytes' is {entry.announces.from_bytes}: it is a number of bytes"
    return None


def _mistake_of_applications(entry: Entry, place: str) -> str | None:
    known = [benchmark.name for benchmark in BENCHMARKS.values() if benchmark.application]
    for name in entry.applications:
        if name not in known:
            return (
                f"in the field '{place}.applications', there is no application '{name}': they are {', '.join(known)}"
                f"{did_you_mean(name, known)}"
            )
    for name in entry.communication:
        if name not in entry.applications:
            return f"the field '{place}.communication' has '{name}', whose files '{place}.applications' does not name"
    return None


def _mistake_of_entry(entry: Entry, place: str) -> str | None:
    if not re.fullmatch(_NAME, entry.name) or entry.name in (ALL, AGAIN):
        return (
            f"the field '{place}.name' is '{entry.name}': a name has letters, digits, '.', '_' and '-', "
            f"and '{ALL}' and '{AGAIN}' are taken"
        )
    if entry.most_iterations < 0:
        return f"the field '{place}.most_iterations' is {entry.most_iterations}: it is a number of iterations, or 0"
    if mistake := _mistake_of_ways(entry, place):
        return mistake
    if mistake := _mistake_of_applications(entry, place):
        return mistake
    return _mistake_of_patterns(entry, place)


def _mistake_of_patterns(entry: Entry, place: str) -> str | None:
    lists = {"covers": entry.covers} | {f"without[{i}].cases": w.cases for i, w in enumerate(entry.without)}
    for field, patterns in lists.items():
        for pattern in patterns:
            everything = pattern == ALL and field == "covers"
            meant = [case for case in _PATTERNS if everything or fnmatch.fnmatchcase(case, pattern)]
            if not meant:
                return (
                    f"in the field '{place}.{field}', '{pattern}' means no case: write benchmark/mode/payload with "
                    f"the names that 'polympi list' shows, '*' for any{did_you_mean(pattern, _PATTERNS)}"
                )
            if field == "covers" and not any(_claims(pattern, case) for case in meant):
                name = meant[0].partition("/")[0]
                return (
                    f"in the field '{place}.covers', '{pattern}' means no benchmark that all bindings are expected to "
                    f"measure: name the others, as in '{name}/*/*'"
                )
    return None


def python_requirements(bindings: Iterable[Binding]) -> list[str]:
    """What pip installs into a stack's environment for these bindings, each requirement once."""
    return sorted({requirement for binding in bindings for requirement in binding.manifest.needs.python})


def needed_sources() -> list[str]:
    """The names of the sources that bindings need from the user."""
    return list(dict.fromkeys(name for binding in load_bindings().values() for name in binding.manifest.needs.sources))


def asked_for(bindings: Mapping[str, Binding], names: Iterable[str]) -> list[Binding]:
    """The bindings of these names, each once; ``all`` means all there are."""
    found: dict[str, Binding] = {}
    for name in names:
        if name != ALL and name not in bindings:
            if name in (absent := absent_bindings()):
                raise UsageError(f"There is no program for '{name}' yet: {absent[name].absent}")
            raise UsageError(
                f"There is no binding '{name}': 'polympi list' shows them ({', '.join(bindings)}), and '{ALL}' means "
                f"all of them.{did_you_mean(name, bindings)}"
            )
        found |= bindings if name == ALL else {name: bindings[name]}
    return list(found.values())


def default_bindings(bindings: Mapping[str, Binding]) -> list[Binding]:
    """Those that run unless others are named."""
    return [binding for binding in bindings.values() if binding.entry.default]
