"""Say what is missing of what the program needs, in one sentence, or nothing.

Importing ``boost.mpi`` would start MPI, so that its file is looked for instead.
"""

import importlib.util
import sys
from pathlib import Path

package = importlib.util.find_spec("numpy")
module = [Path(folder) for folder in sys.path if any(Path(folder, "boost").glob("mpi.*.so"))]
missing = [name for name, found in (("python3-numpy", package), ("libboost-mpi-python-dev", module)) if not found]
if missing:
    sys.exit(f"{sys.executable} has no module that this binding needs: apt install {' '.join(missing)}.")
