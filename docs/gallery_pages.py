"""The pages of the gallery, which a build of the site makes of the results of real runs in docs/gallery.

A result is the packed directory of ``polympi run`` or ``polympi audit``: its many small or mostly empty files take a
fraction of the space then. In the repository a link to it leads to what was measured, on the site to its report.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util.display import status_iterator

REPOSITORY = Path(__file__).parents[1]
RESULTS = REPOSITORY / "docs" / "gallery"


def page_of(result: Path) -> str:
    """Where the report of a result is on the site."""
    return f"docs/gallery/{result.name.partition('.')[0]}.html"


class Reports(SphinxTransform):
    """A link to a result leads to its report."""

    default_priority = 4  # before a page is made of the file itself

    def apply(self, **_: Any) -> None:
        """Replace the downloads."""
        page = Path(self.env.docname)
        for link in list(self.document.findall(addnodes.download_reference)):
            result = Path(os.path.normpath(REPOSITORY / page.parent / link["reftarget"]))
            if result.parent == RESULTS:
                uri = "../" * (len(page.parts) - 1) + page_of(result)
                link.replace_self(nodes.reference("", "", *link.children, refuri=uri))


def render(result: Path, page: Path) -> None:
    """Write the report of a result to a file."""
    with tempfile.TemporaryDirectory() as scratch:
        shutil.unpack_archive(result, scratch)
        (folder,) = Path(scratch).iterdir()
        of_run = (folder / "run.json").is_file()
        command = [sys.executable, "-m", "polympi", *(["report"] if of_run else ["audit", "report"]), str(folder)]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        page.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(folder / ("report.html" if of_run else "audit.html"), page)


def _render_all(app: Sphinx, failure: Exception | None) -> None:
    results = sorted(RESULTS.iterdir())
    for result in [] if failure else status_iterator(results, "rendering reports... ", length=len(results)):
        render(result, Path(app.outdir) / page_of(result))


def setup(app: Sphinx) -> None:
    """Connect what is above; reports are rendered after all pages."""
    app.add_transform(Reports)
    app.connect("build-finished", _render_all)
