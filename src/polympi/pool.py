"""``python -m polympi.pool script.py``: rank 0 runs a script, and the other ranks are the workers of its pools."""

import sys

if __name__ == "__main__":
    from polympi.workers.run import main

    main()
else:  # this file has the name of the function `polympi.pool`, and must not hide it once it is imported
    from polympi.workers.pool import pool

    sys.modules[__name__] = pool  # type: ignore[assignment]
