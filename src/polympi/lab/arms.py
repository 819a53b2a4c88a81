"""The two arms that every run has."""

REFERENCE = "c"
AGAIN = "c-again"  # the A/A arm: the same program as the reference, launched as if it were another binding
