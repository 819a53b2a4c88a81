"""What the programs with polympi and those with mpi4py share: methods, kernels, checks and command lines.

A solver of either style derives from the class of its method, and adds what its ranks exchange.
"""
