"""Options that several commands have."""

from pathlib import Path
from typing import Annotated

import typer

BindingFolders = Annotated[
    list[Path] | None,
    typer.Option("--bindings-from", metavar="DIR", help="A folder of further bindings (also $POLYMPI_BINDINGS)."),
]
