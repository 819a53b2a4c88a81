"""A test cluster on one machine: hosts that are namespaces, with a switch and wires between them."""
