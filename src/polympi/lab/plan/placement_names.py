"""The placements by name; without what it takes to plan one, which the command line would wait for."""

NODE, CORE_PAIR, SOCKET, ONE_CORE, TWO_NODES = ("node", "core-pair", "socket", "one-core", "two-nodes")
MEANINGS = {
    NODE: "all ranks on one host, bound to nothing",
    CORE_PAIR: "each rank bound to its own core, all on one socket",
    SOCKET: "ranks bound to sockets in turn, on one host",
    ONE_CORE: "all ranks bound to the same core",
    TWO_NODES: "ranks on the first two hosts of the host file in turn, bound to nothing",
}
