"""The documentation site: `make site`.

Sphinx, because it is kept well, needs no network (furo brings its fonts, styles and scripts, and the search runs in the
browser), turns a link or an anchor that leads nowhere into an error, and reads the docstrings of a compiled module.
The pages are Markdown that also reads well where the repository is shown. The repository's root is the source folder,
so that a link has the same path there and here, and a README outside of this folder is a page as well.
"""

from __future__ import annotations

import ast
import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from importlib.metadata import version as installed_version
from pathlib import Path
from subprocess import check_output
from typing import Any

from docutils import nodes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_for_filename
from pygments.util import ClassNotFound
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

REPOSITORY = Path(__file__).parents[1]
FORWARD = (
    '<!doctype html><meta http-equiv="refresh" content="0; url=docs/index.html"><a href="docs/index.html">polympi</a>'
)
os.environ["POLYMPI_BACKEND"] = "serial"  # the classes of the core, without an MPI library
sys.path[:0] = [str(REPOSITORY / "src"), str(REPOSITORY / "docs")]

project = "polympi"
version = release = installed_version("polympi")
html_title = f"polympi {version}"
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False
pygments_style = "tango"
pygments_dark_style = "monokai"

root_doc = "docs/index"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "gallery_pages"]
include_patterns = [
    "docs/**.md",
    "examples/**README.md",
    "bindings/csharp/README.md",
    "bindings/harness/**README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
]
exclude_patterns = [".*", "build", "src", "tests", "benchmarks", "**/target", "**/node_modules"]
myst_heading_anchors = 4
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
toc_object_entries_show_parents = "hide"
napoleon_use_ivar = True
nitpicky = True
nitpick_ignore_regex = [("py:(class|exc|obj)", ".*")]  # types in signatures, mostly of other packages
suppress_warnings = ["misc.highlighting_failure"]


def _signatures() -> dict[tuple[str, str], list[str]]:
    """The signatures in the core's stub by class and name, one for each overload; of a function the class is empty."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    stub = ast.parse((REPOSITORY / "src/polympi/native/core.pyi").read_text())
    for declared in stub.body:
        owner = declared.name if isinstance(declared, ast.ClassDef) else ""
        for function in declared.body if isinstance(declared, ast.ClassDef) else [declared]:
            if isinstance(function, ast.FunctionDef):
                arguments = ast.unparse(function.args).removeprefix("self, ").removeprefix("self")
                result = ast.unparse(function.returns) if function.returns else "None"
                found[owner, function.name].append(f"({arguments}) -> {result}".replace("_Into", "Into"))
    return found


SIGNATURES = _signatures()


def _sign(_app: Sphinx, what: str, name: str, member: Any, *_: object) -> tuple[str, str] | None:
    """A function or method of the core has its types in the stub, its text in its docstring."""
    owner = getattr(getattr(member, "__objclass__", None), "__name__", "")
    signatures = SIGNATURES.get((owner, name.rpartition(".")[2]))
    return ("\n".join(signatures), "") if signatures and what in ("method", "function") else None


class Sources(SphinxTransform):
    """A link to a file or folder that isn't a page leads to a page made of it: the site needs no other server."""

    default_priority = 5

    def apply(self, **_: Any) -> None:
        """Replace downloads, and references to a folder."""
        page = Path(self.env.docname)
        kinds = addnodes.download_reference, addnodes.pending_xref
        for link in [link for kind in kinds for link in self.document.findall(kind)]:
            path = Path(os.path.normpath(REPOSITORY / page.parent / link["reftarget"]))
            if path.is_dir() if isinstance(link, addnodes.pending_xref) else path.is_file():
                target = str(path.relative_to(REPOSITORY))
                self.env.metadata[self.env.docname].setdefault("sources", []).append(target)
                uri = "../" * (len(page.parts) - 1) + f"sources/{target}.html"
                link.replace_self(nodes.reference("", "", *link.children, refuri=uri))


def _source_pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """The pages that :class:`Sources` links to, and those of the files in the folders."""
    assert app.env
    linked = {Path(path) for page in app.env.metadata.values() for path in page.get("sources", [])}
    tracked = [Path(path) for path in check_output(["git", "ls-files"], cwd=REPOSITORY, text=True).splitlines()]
    folders = linked.difference(tracked)
    within = {folder: [path for path in tracked if folder in path.parents] for folder in folders}
    for folder, paths in within.items():
        items = [f'<li><a href="{folder.name}/{path.relative_to(folder)}.html">{path}</a></li>' for path in paths]
        yield f"sources/{folder}", {"title": folder, "body": f"<h1>{folder}</h1><ul>{''.join(items)}</ul>"}, "page.html"
    for path in sorted(linked.difference(within).union(*within.values())):
        try:
            lexer = get_lexer_for_filename(path.name)
        except ClassNotFound:
            lexer = TextLexer()
        text = highlight((REPOSITORY / path).read_text(), lexer, HtmlFormatter(cssclass="highlight"))
        yield f"sources/{path}", {"title": path, "body": f"<h1>{path}</h1>{text}"}, "page.html"


def _forward(app: Sphinx, failure: Exception | None) -> None:
    """The address of the site itself leads to its first page."""
    if not failure:
        (Path(app.outdir) / "index.html").write_text(FORWARD)


def setup(app: Sphinx) -> None:
    """Connect what is above."""
    app.add_transform(Sources)
    app.connect("autodoc-process-signature", _sign)
    app.connect("html-collect-pages", _source_pages)
    app.connect("build-finished", _forward)
