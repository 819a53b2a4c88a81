"""``polympi doctor``: what will not work on this machine, and what will distort figures."""

from __future__ import annotations

from collections.abc import Iterator

import typer

from polympi.lab.bindings.build import build, why_not_ready
from polympi.lab.bindings.manifest import Binding, load_bindings
from polympi.lab.cli.console import results, say
from polympi.lab.environment.doctor import Check, diagnose, print_checks
from polympi.lab.errors import LabError
from polympi.lab.stacks.check import check_stack
from polympi.lab.stacks.recovery import undo_broken_off
from polympi.lab.stacks.stack import Stack, get_stack, installed_stacks


def doctor() -> None:
    """Check the machine, the stacks and the bindings; each finding says what to try. Exit code 1 on a problem."""
    undo_broken_off(say)
    checks = diagnose(_stack_checks())
    print_checks(checks, results)
    if any(check.status == "problem" for check in checks):
        raise typer.Exit(1)


def _stack_checks() -> Iterator[Check]:
    stacks = installed_stacks()
    if not stacks:
        yield Check("stacks", "warning", "No MPI stack is installed.", "polympi stack add mpich")
    bindings = load_bindings()
    for name in stacks:
        say(f"launching two ranks on {name}")
        try:
            stack = get_stack(name)
            check_stack(stack)
        except LabError as error:
            yield Check(f"stack {name}", "problem", str(error), f"polympi stack add {name}")
            continue
        yield Check(f"stack {name}", "ok", f"two ranks ran: {stack.library}", "")
        yield from _binding_checks(bindings, stack)


def _binding_checks(bindings: dict[str, Binding], stack: Stack) -> Iterator[Check]:
    """Whether each default binding can be built; one folder is built once."""
    for binding in {b.folder: b for b in bindings.values() if b.entry.default}.values():
        title = f"{binding.manifest.name} on {stack.name}"
        if reason := why_not_ready(binding, stack):
            yield Check(title, "warning", f"It cannot take part: {reason}.", binding.manifest.needs.help)
            continue
        try:
            build(binding, stack)
        except LabError as error:
            yield Check(title, "problem", str(error), binding.manifest.needs.help)
        else:
            yield Check(title, "ok", "built and ready", "")
