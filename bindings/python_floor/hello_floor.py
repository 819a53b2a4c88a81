"""Every rank says which it is: what a program needs before it does anything."""

import mpifloor

mpifloor.init()
print("Hello from rank {} of {}".format(*mpifloor.facts()))
mpifloor.finalize()
