"""Every rank says which it is, in a script for Pypar."""

import pypar

print(f"Hello from rank {pypar.rank()} of {pypar.size()}")
pypar.finalize()
