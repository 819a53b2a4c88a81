"""What a run says in each form of the report."""

import io
import re

import polars as pl
from rich.console import Console

from polympi.lab.importers.rows import IMPORTED_SCHEMA
from polympi.lab.report.html import render_html
from polympi.lab.report.markdown import render_markdown
from polympi.lab.report.terminal import print_summary
from polympi.lab.statistics.model import Analysis

NOTHING = pl.DataFrame(schema=IMPORTED_SCHEMA)


def html(analysis: Analysis) -> str:
    return render_html(analysis, NOTHING)


def markdown(analysis: Analysis) -> str:
    return render_markdown(analysis, NOTHING)


def terminal(analysis: Analysis, width: int = 200) -> str:
    console = Console(file=io.StringIO(), width=width, force_terminal=False)
    print_summary(analysis, console)
    return console.file.getvalue()  # type: ignore[attr-defined]


def section(page: str, name: str) -> str:
    return page.split(f'<section id="{name}">')[1].split("</section>", maxsplit=1)[0]


def cells(table: str) -> list[list[str]]:
    """The texts of the cells of a table of the page, below its head."""
    rows = [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row) for row in table.split("<tr")[2:]]
    return [[re.sub("<[^>]+>", "", cell).strip() for cell in row] for row in rows]
