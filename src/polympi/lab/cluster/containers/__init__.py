"""Hosts of a test cluster that are containers of podman, with ssh; and what users of Docker need for such hosts."""
