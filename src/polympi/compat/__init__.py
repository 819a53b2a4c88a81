"""The interfaces of older Python modules for MPI, on top of polympi: scripts written for them run unmodified.

``python -m polympi --as pypar script.py`` runs a script whose ``import pypar`` finds the facade here. A program may
also say ``from polympi.compat import pypar``. :mod:`polympi.compat.facades` lists them.
"""
