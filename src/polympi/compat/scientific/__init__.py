"""ScientificPython 2.9: what scripts import of it for parallel programs.

``from Scientific import MPI`` starts MPI; ``from Scientific import N`` has arrays. This package alone starts nothing.
"""
