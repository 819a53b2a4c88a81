"""A pool of workers: the ranks of a communicator run the tasks that one of them submits.

``packing`` makes messages of tasks and results, ``store`` runs tasks on a worker and ``worker`` serves the root there.
On the root, ``pool`` is what a program calls, ``dispatcher`` sends tasks to the workers and receives their results, and
``results`` and ``task`` are where these go.
"""
