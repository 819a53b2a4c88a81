"""The core of polympi, in C, and how it is compiled."""
