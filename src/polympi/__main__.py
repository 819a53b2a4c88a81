"""``python -m polympi``: the command ``polympi``, or a script for an older MPI module (``--as``, ``--check``)."""

import sys

from polympi.compat import command

if __name__ == "__main__":
    if command.wanted(sys.argv[1:]):
        sys.exit(command.main(sys.argv[1:]))
    from polympi.lab.cli import main

    main()
