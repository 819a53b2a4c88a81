"""The laboratory: what an MPI binding costs over raw C MPI on the same stack.

Data flows through the rooms of this package in this order::

    stacks, bindings -> plan -> launch -> samples -> statistics -> findings -> report

and :mod:`polympi.lab.cli` is a thin layer on top.
"""
