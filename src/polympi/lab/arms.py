"""The arms of C that code knows by name; the first two are in every run."""

REFERENCE = "c"
AGAIN = "c-again"  # the A/A arm: the same program as the reference, launched as if it were another binding
PLAIN_PAGES = "c-pages"  # its buffers lie on what a program gets that asks for nothing
