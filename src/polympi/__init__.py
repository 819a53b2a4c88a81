"""polympi: one Pythonic MPI interface, and the laboratory that measures what MPI bindings cost.

The laboratory lives in :mod:`polympi.lab` and comes with ``pip install polympi[lab]``.
This package itself imports nothing beyond the standard library.
"""

from importlib.metadata import version as _version

__version__ = _version("polympi")
