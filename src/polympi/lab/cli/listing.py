"""``polympi list``: stacks, bindings, benchmarks, studies and tools, whether each is installed, and how to get it."""

from __future__ import annotations

from rich.markup import escape
from rich.table import Table

from polympi.lab.arms import AGAIN
from polympi.lab.bindings.build import why_not_ready
from polympi.lab.bindings.manifest import Binding, absent_bindings
from polympi.lab.catalogue import BENCHMARKS, Benchmark
from polympi.lab.cli.arguments import known_bindings
from polympi.lab.cli.console import results
from polympi.lab.cli.options import BindingFolders
from polympi.lab.plan.studies import STUDIES
from polympi.lab.stacks.known import SYSTEM, WHEELS
from polympi.lab.stacks.stack import Stack, installed_stacks
from polympi.lab.tools.find import FoundTool, find_tool
from polympi.lab.tools.known import TOOLS


def list_all(bindings_from: BindingFolders = None) -> None:
    """List stacks, bindings, benchmarks, studies and tools: what is installed, and how to install the rest."""
    stacks, bindings = installed_stacks(), known_bindings(bindings_from)
    results.print(_stack_table(stacks))
    results.print(_binding_table(bindings, stacks, bindings_from))
    results.print(_benchmark_table())
    results.print(_study_table())
    results.print(_tool_table(stacks))


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _stack_table(stacks: dict[str, Stack]) -> Table:
    table = _table("\nStacks", "name", "", "MPI, or how to install it")
    for stack in stacks.values():
        table.add_row(stack.name, "[green]installed[/]", escape(stack.library))
    for name in (*WHEELS, SYSTEM):
        if name not in stacks:
            what = "the machine's own mpicc" if name == SYSTEM else "from a wheel"
            table.add_row(name, "[dim]not installed[/]", f"polympi stack add {name}  [dim]({what})[/]")
    return table


def _binding_table(bindings: dict[str, Binding], stacks: dict[str, Stack], folders: BindingFolders) -> Table:
    table = _table("\nBindings [dim](* takes part by default)[/]", "language", "name", "what it is", "ready on")
    for language in dict.fromkeys(binding.language for binding in bindings.values()):
        heading = f"[bold]{escape(language)}[/]"
        for binding in (b for b in bindings.values() if b.language == language):
            star = "*" if binding.entry.default else " "
            summary = "the reference again: the A/A arm" if binding.name == AGAIN else binding.entry.summary
            table.add_row(heading, f"{binding.name} {star}", escape(summary), _readiness(binding, stacks))
            heading = ""
    for absent in absent_bindings(folders or ()).values():
        table.add_row(
            f"[bold]{escape(absent.language)}[/]",
            f"{absent.name}  ",
            escape(absent.summary),
            f"[dim]no program yet: {escape(absent.absent)}[/]",
        )
    return table


def _readiness(binding: Binding, stacks: dict[str, Stack]) -> str:
    """On which stacks a binding is ready, and what others need, stacks that need the same together."""
    named: dict[str | None, list[str]] = {}
    for name, stack in stacks.items():
        named.setdefault(why_not_ready(binding, stack), []).append(name)
    ready = named.pop(None, [])
    lines = [f"[green]{', '.join(ready)}[/]"] if ready else []
    lines += [f"[yellow]not {', '.join(names)}[/]: {escape(str(reason))}" for reason, names in named.items()]
    return "\n".join(lines) or "[dim]no stack is installed[/]"


def _tool_table(stacks: dict[str, Stack]) -> Table:
    table = _table("\nTools of others [dim](polympi run --tool)[/]", "name", "what its figure is", "ready on")
    for tool in TOOLS.values():
        found = {name: find_tool(tool, stack) for name, stack in stacks.items()}
        ready = ", ".join(name for name, part in found.items() if isinstance(part, FoundTool))
        table.add_row(
            tool.name,
            escape(f"{tool.benchmark}: {tool.differs}"),
            f"[green]{ready}[/]" if ready else f"[dim]{escape(tool.get)}[/]",
        )
    return table


def _benchmark_table() -> Table:
    table = _table("\nBenchmarks", "name", "what is measured", "modes", "payloads")
    for benchmark in BENCHMARKS.values():
        table.add_row(benchmark.name, benchmark.summary, _modes(benchmark), ", ".join(benchmark.payloads))
    return table


def _study_table() -> Table:
    table = _table("\nStudies [dim](polympi run --study)[/]", "name", "what is compared")
    for study in STUDIES.values():
        table.add_row(study.name, escape(study.summary))
    return table


def _modes(benchmark: Benchmark) -> str:
    if len(benchmark.modes) > 4:
        return "standard, synchronous, buffered, ready; each also -nonblocking, -persistent; sendrecv"
    return ", ".join(benchmark.modes)
