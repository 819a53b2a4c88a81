"""Write the headers of kassert as KaMPIng includes them, then compile.

build_kamping.py KASSERT INCLUDE COMMAND...

CMake would make them from templates, with the names that KaMPIng's own build gives them.
"""

import os
import re
import sys
from pathlib import Path

NAMES = {"KASSERT_CXX_NAMESPACE": "kamping::kassert", "KASSERT_PREFIX": "KAMPING_ASSERT"}
FOLDER = "kamping/kassert"


def main() -> None:
    """Write the headers into INCLUDE, and become the compiler."""
    kassert, include, *command = sys.argv[1:]
    templates = Path(kassert, "include", "kassert")
    for template in templates.rglob("*.in"):
        header = Path(include, FOLDER, template.relative_to(templates).with_suffix(""))
        header.parent.mkdir(parents=True, exist_ok=True)
        header.write_text(re.sub(r"@(\w+)@", lambda name: NAMES[name[1]], template.read_text()))
    os.execvp(command[0], command)


main()
