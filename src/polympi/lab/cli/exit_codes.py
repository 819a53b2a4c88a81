"""Exit codes of the command line."""

NOT_ALL_MEASURED = 1  # C or a binding failed in launch after launch and was left out
IMPOSSIBLE = 2  # what was asked for cannot be done
INTERRUPTED = 130  # 128 + SIGINT, as shells have it
