"""``polympi list``: stacks, bindings, benchmarks, studies and tools, whether each is installed, and how to get it."""

from rich.markup import escape
from rich.table import Table

from polympi.lab.arms import AGAIN
from polympi.lab.bindings.build import why_not_ready
from polympi.lab.bindings.manifest import Binding, absent_bindings, load_bindings
from polympi.lab.catalogue import BENCHMARKS, Benchmark
from polympi.lab.cli.console import results
from polympi.lab.cli.options import BindingFolders
from polympi.lab.plan.studies import STUDIES
from polympi.lab.stacks.known import SYSTEM, WHEELS
from polympi.lab.stacks.stack import Stack, installed_stacks
from polympi.lab.tools.find import FoundTool, find_tool
from polympi.lab.tools.known import TOOLS


class Notes:
    """What is said below a table, once each, with numbers that stand in its cells; lines to copy are not broken."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def mark(self, text: str) -> str:
        """The number that stands for a note, in brackets."""
        return f"\\[{self._numbers.setdefault(text, len(self._numbers) + 1)}]"

    def show(self) -> None:
        """Print all notes."""
        for text, number in self._numbers.items():
            results.print(f"[{number}] {text}", markup=False, soft_wrap=True)


def list_all(bindings_from: BindingFolders = None) -> None:
    """List stacks, bindings, benchmarks, studies and tools: what is installed, and how to install the rest."""
    stacks, bindings = installed_stacks(), load_bindings(bindings_from or ())
    results.print(_stack_table(stacks))
    notes = Notes()
    results.print(_binding_table(bindings, stacks, bindings_from, notes))
    notes.show()
    results.print(_benchmark_table())
    results.print(_study_table())
    notes = Notes()
    results.print(_tool_table(stacks, notes))
    notes.show()


def _table(title: str, name: str, *columns: str) -> Table:
    """A table of which the names, in the first column, are never broken."""
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    table.add_column(name, no_wrap=True)
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


def _binding_table(
    bindings: dict[str, Binding], stacks: dict[str, Stack], folders: BindingFolders, notes: Notes
) -> Table:
    table = _table("\nBindings [dim](* included by default)[/]", "name", "what it is", "ready on")
    absent = absent_bindings(folders or ())
    languages = [*(one.language for one in bindings.values()), *(one.language for one in absent.values())]
    for language in dict.fromkeys(languages):
        table.add_row(f"[bold]{escape(language)}[/]", "", "")
        for binding in (b for b in bindings.values() if b.language == language):
            star = "*" if binding.entry.default else " "
            summary = "the reference again: the A/A arm" if binding.name == AGAIN else binding.entry.summary
            table.add_row(f"  {binding.name} {star}", escape(summary), _readiness(binding, stacks, notes))
        for one in (b for b in absent.values() if b.language == language):
            reason = notes.mark(f"no program yet: {one.absent}")
            table.add_row(f"  {one.name}  ", escape(one.summary), f"[dim]none {reason}[/]")
    return table


def _readiness(binding: Binding, stacks: dict[str, Stack], notes: Notes) -> str:
    """On which stacks a binding is ready, and for others the number of the note that says what they need."""
    named: dict[str | None, list[str]] = {}
    for name, stack in stacks.items():
        named.setdefault(why_not_ready(binding, stack), []).append(name)
    ready = named.pop(None, [])
    lines = [f"[green]{', '.join(ready)}[/]"] if ready else []
    lines += [f"[yellow]not {', '.join(names)}[/] {notes.mark(str(reason))}" for reason, names in named.items()]
    return "\n".join(lines) or "[dim]no stack is installed[/]"


def _tool_table(stacks: dict[str, Stack], notes: Notes) -> Table:
    table = _table("\nThird-party tools [dim](polympi run --tool)[/]", "name", "what its figure is", "ready on")
    for tool in TOOLS.values():
        found = {name: find_tool(tool, stack) for name, stack in stacks.items()}
        ready = ", ".join(name for name, part in found.items() if isinstance(part, FoundTool))
        table.add_row(
            tool.name,
            escape(f"{tool.benchmark}: {tool.differs}"),
            f"[green]{ready}[/]" if ready else f"[dim]none {notes.mark(tool.get)}[/]",
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
