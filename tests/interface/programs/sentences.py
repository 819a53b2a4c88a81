"""Sentences of errors that several tests expect, each written here alone."""

FREED = "this communicator was freed"
FINALISED = "MPI is finalised: no call is possible any more"
FINALISED_MEANWHILE = "MPI was finalised while this call waited"
CALLS_PENDING = "MPI cannot be finalised while collective calls are pending that not all ranks have made"
MESSAGES_PENDING = "MPI cannot be finalised while messages are pending that were not received"
