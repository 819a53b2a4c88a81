"""The laboratory: what an MPI binding costs over raw C MPI on the same stack.

Data flow through the packages in this order::

    environment, stacks, bindings -> plan -> launch -> samples -> statistics -> conclusions -> report

:mod:`polympi.lab.run` ties together those that measure, ``importers`` and ``published`` add figures of other tools to
the report, and :mod:`polympi.lab.cli` is a thin layer on top. A package imports only from those before it, and from the
modules next to the packages; ``make lint`` checks this.
"""
