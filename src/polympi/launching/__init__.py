"""Ranks that a script, a notebook or a test starts and calls: ``polympi.launch``.

A process here runs a guard, which runs the launcher of MPI, which starts a process per rank. That splits into a monitor
and the rank itself. The rank, its two streams of output and the monitor each have a connection to the process here, so
it receives a call's result, what was printed even by C, and how a rank ended, whatever MPI does. When the process here
ends, the guard ends all others, however they were started.
"""
