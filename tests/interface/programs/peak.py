"""Run a program as this rank, and say how much memory it had at most, in bytes: peak.py PROGRAM ARGUMENT..."""

import resource
import subprocess
import sys

code = subprocess.call(sys.argv[1:], close_fds=False)  # some launchers talk to a rank by a file that they have opened
print(f"peak {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024}", flush=True)
sys.exit(code)
