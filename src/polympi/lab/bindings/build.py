"""Build a binding's program for a stack; a build is kept until a source, the command or the stack changes."""

import hashlib
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from polympi.lab.bindings.compiling import run_build
from polympi.lab.bindings.core import build_core, core_folder
from polympi.lab.bindings.given import missing_sources, sources_of
from polympi.lab.bindings.harness import build_harness, harness_folder
from polympi.lab.bindings.made_once import made_once
from polympi.lab.bindings.manifest import Binding, applications_folder, shipped_folder
from polympi.lab.bindings.packages import installed_packages
from polympi.lab.bindings.sources import INTERFACE, files_meant
from polympi.lab.environment.processor import instruction_sets
from polympi.lab.errors import BuildError
from polympi.lab.home import home
from polympi.lab.stacks.prebuilt import prebuilt, put
from polympi.lab.stacks.stack import Stack

NATIVE = {"-march=native", "-Ctarget-cpu=native"}  # in a command, of GCC or Clang, of Rust: for this processor
BUILD_TIMEOUT_S = 600.0
_HARNESS = "{harness}"  # in a command: the folder of the harness in C, compiled for the stack
_CORE = "{core}"  # likewise of the core of polympi's interface


def missing_commands(binding: Binding) -> list[str]:
    """Programs that the binding needs and PATH does not have."""
    return [command for command in binding.manifest.needs.commands if shutil.which(command) is None]


def missing_requirements(binding: Binding, stack: Stack) -> list[str]:
    """Python requirements of the binding that the stack's environment does not meet."""
    wanted = [Requirement(text) for text in binding.manifest.needs.python]
    if not wanted:
        return []
    installed = installed_packages(stack)
    return [str(r) for r in wanted if not r.specifier.contains(installed.get(canonicalize_name(r.name), "0"))]


def why_not_ready(binding: Binding, stack: Stack) -> str | None:
    """What the binding still needs on this stack, as a sentence with the remedy; None when nothing is missing."""
    if not binding.runs_on(stack.name, stack.family):
        return f"it runs on {', '.join(binding.manifest.stacks)} only"
    if missing := missing_commands(binding):
        return f"it needs {', '.join(missing)}: {remedy(binding)}"
    if sources := missing_sources(binding):
        places = [f"{name} ({source.homepage})" for name, source in sources.items()]
        commands = [f"polympi source add {name} PLACE" for name in sources]
        return f"it needs the sources of {' and '.join(places)}: {'; '.join(commands)}"
    if missing := missing_requirements(binding, stack):
        more = "" if binding.entry.default else f" --binding {binding.name}"
        return f"it needs {', '.join(missing)} in the stack: polympi stack add {stack.name}{more}"
    return None


def remedy(binding: Binding) -> str:
    """How to get what the binding needs of the machine, a sentence or two without the last stop; empty if unknown."""
    needs = binding.manifest.needs
    on_debian = f"On Debian: apt-get install {' '.join(needs.debian)}" if needs.debian else ""
    return ". ".join(part for part in (needs.help.rstrip("."), on_debian) if part)


def build(binding: Binding, stack: Stack) -> Path:
    """Build the program unless it is up to date, and return the folder of what was built; BuildError if that fails."""
    if reason := why_not_ready(binding, stack):
        raise BuildError(f"Binding '{binding.name}' cannot be built for stack '{stack.name}': {reason}.")
    output = output_folder(binding, stack)
    if output.is_dir():
        return output
    if _names(binding, _HARNESS):
        build_harness(stack)
    if _names(binding, _CORE):
        build_core(stack)
    with made_once(output) as built:
        if built and (ready := prebuilt(stack, binding.manifest.name)):
            put(ready, stack, built)
        elif built:
            _run_build(binding, stack, built)
    return output


def program_command(binding: Binding, stack: Stack, built: Path, plan: Path, samples: Path) -> list[str]:
    """The command of one rank, of the program in the folder that :func:`build` returned."""
    places = {"plan": str(plan), "samples": str(samples), "binding": binding.name}
    return _fill(binding.entry.run, binding, stack, built, places)


def _run_build(binding: Binding, stack: Stack, built: Path) -> None:
    command = _fill(binding.manifest.build.command, binding, stack, built)
    if not command:
        return
    hint = f"\nIf something is missing: {remedy(binding)}." if binding.manifest.needs.debian else ""
    what = f"Binding '{binding.name}'"
    run_build(stack, command, what, timeout_s=BUILD_TIMEOUT_S, folder=binding.folder, hint=hint)


def _fill(
    template: Sequence[str], binding: Binding, stack: Stack, output: Path, more: Mapping[str, str] | None = None
) -> list[str]:
    places: dict[str, object] = {
        "folder": str(binding.folder),
        "bindings": str(shipped_folder()),
        "applications": str(applications_folder()),
        "harness": str(harness_folder(stack)),
        "core": str(core_folder(stack)) if _names(binding, _CORE) else "",
        "polympi": str(INTERFACE),
        "sources": {source.name: str(source.folder) for source in sources_of(binding)},
        "output": str(output),
        "mpicc": stack.mpicc,
        "python": stack.python,
        **(more or {}),
    }
    try:
        return [part.format_map(places) for part in template]
    except (KeyError, ValueError, IndexError, AttributeError) as error:
        field = f"'run' of the binding '{binding.name}'" if more else "'build.command'"
        raise BuildError(
            f"The manifest '{binding.folder / 'manifest.toml'}' cannot be used: the field {field} has a placeholder "
            f"that is not known; the placeholders are {', '.join(f'{{{place}}}' for place in places)}."
        ) from error


def output_folder(binding: Binding, stack: Stack) -> Path:
    """Where the program of this source, command, stack and, if it compiles for the current one, processor is."""
    manifest = binding.manifest
    key = hashlib.sha256()
    interpreter = str(Path(stack.python).resolve())  # names the version, for which extension modules are compiled
    for part in (*manifest.build.command, stack.mpicc, stack.library, interpreter, str(binding.folder)):
        key.update(part.encode() + b"\0")
    if not NATIVE.isdisjoint(manifest.build.command):  # the folder may be one of several machines
        key.update(instruction_sets().encode())
    if prebuilt(stack, manifest.name):
        key.update(b"prebuilt")
    if _names(binding, _HARNESS):
        key.update(str(harness_folder(stack)).encode())
    if _names(binding, _CORE):
        key.update(str(core_folder(stack)).encode())
    for given in sources_of(binding):
        key.update(given.sha256.encode())
    for pattern in manifest.build.sources:
        for source in files_meant(binding, pattern, "build.sources"):
            key.update(source.read_bytes() + b"\0")
    return home() / "builds" / stack.name / f"{manifest.name}-{key.hexdigest()[:12]}"


def _names(binding: Binding, place: str) -> bool:
    """Whether a command has this placeholder: the program is linked with what is there, or loads it."""
    return any(place in part for part in (*binding.manifest.build.command, *binding.entry.run))
