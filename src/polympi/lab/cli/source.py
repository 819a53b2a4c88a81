"""``polympi source``: give the sources of bindings that no package index has."""

from typing import Annotated

import typer

from polympi.lab.bindings.given import give_source, remove_source
from polympi.lab.cli.console import results, say_home
from polympi.lab.cli.names import complete_given_source, complete_source
from polympi.lab.cli.options import BindingFolders

sources = typer.Typer(
    no_args_is_help=True, help="Give the sources of bindings that no package index has.", rich_markup_mode="rich"
)


@sources.command()
def add(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="Sources that a binding needs, by 'polympi list'.", autocompletion=complete_source
        ),
    ],
    place: Annotated[
        str,
        typer.Argument(
            metavar="PLACE",
            help="A folder, such as a checkout, an archive (tar, zip), or the URL of one with its hash, "
            "'https://.../v1.0.tar.gz#sha256=...'.",
        ),
    ],
    bindings_from: BindingFolders = None,
) -> None:
    """Copy sources from a place, instead of those that were given before."""
    from polympi.lab.bindings.manifest import load_bindings

    say_home()
    source = give_source(name, place, load_bindings(bindings_from or ()))
    results.print(f"sources of {source.name}: {source.version}", markup=False, soft_wrap=True)


@sources.command()
def remove(
    name: Annotated[
        str,
        typer.Argument(metavar="NAME", help="Sources that were given.", autocompletion=complete_given_source),
    ],
) -> None:
    """Remove the copy of sources; the place that they came from stays as it is."""
    remove_source(name)
    results.print(f"the sources of {name} are removed", markup=False)
