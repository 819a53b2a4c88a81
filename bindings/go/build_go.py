"""Compile the benchmark in Go together with the solvers of the applications, a module that lies elsewhere.

python build_go.py --applications FOLDER --into FOLDER [--vet]

Both modules become a workspace of Go, which is written for this build: where they lie depends on how the laboratory was
installed. Nothing is downloaded. The environment says the rest, such as CC and CGO_CFLAGS.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parent


def main() -> None:
    """Read the command line and compile."""
    parser = argparse.ArgumentParser(description="Compile the benchmark in Go with the solvers of the applications.")
    parser.add_argument("--applications", required=True, type=Path)
    parser.add_argument("--into", required=True, type=Path)
    parser.add_argument("--vet", action="store_true", help="check the sources of both modules instead")
    given = parser.parse_args()
    solvers = given.applications / "go"
    if given.vet:
        command = ["go", "vet", "./...", f"{solvers}/..."]
    else:
        command = ["go", "build", "-trimpath", "-buildvcs=false", "-o", str(given.into / "bench"), "./bench"]
    with tempfile.TemporaryDirectory(dir=given.into, prefix="workspace-") as scratch:
        workspace = Path(scratch, "go.work")
        folders = "".join(f"\t{json.dumps(str(folder), ensure_ascii=False)}\n" for folder in (FOLDER, solvers))
        workspace.write_text(f"go 1.24\n\nuse (\n{folders})\n", encoding="utf-8")
        environment = {**os.environ, "GOWORK": str(workspace), "GOTOOLCHAIN": "local", "GOPROXY": "off", "GOFLAGS": ""}
        if subprocess.run(command, cwd=FOLDER, env=environment, check=False).returncode:
            sys.exit("go failed.")


if __name__ == "__main__":
    main()
