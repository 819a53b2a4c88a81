"""``python -m polympi``: the command ``polympi``."""

from polympi.lab.cli import main

if __name__ == "__main__":
    main()
