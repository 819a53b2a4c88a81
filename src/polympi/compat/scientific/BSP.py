"""Parallel programs in steps, which are not here."""  # noqa: N999  (its name)

raise NotImplementedError(
    "Scientific.BSP of ScientificPython is not in polympi.compat.scientific: send and receive by Scientific.MPI instead"
)
