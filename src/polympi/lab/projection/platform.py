"""A network as SimGrid reads it: nodes on one switch, as XML, and which node each rank is on."""

from __future__ import annotations

from polympi.lab.projection.model import Network

_LOOPBACK = 'loopback_bw="1e6GBps" loopback_lat="0ns"'  # within a node a message takes the ranks' time only


def platform_xml(network: Network, ranks: int) -> str:
    """The nodes for this many ranks, each with a wire to one switch that is never congested.

    The way from a node to another has two wires, and each has half of the latency.
    """
    return (
        "<?xml version='1.0'?>\n"
        '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
        '<platform version="4.1">\n'
        f'  <cluster id="cluster" prefix="node-" suffix="" radical="0-{nodes_of(network, ranks) - 1}" '
        f'speed="1Gf" core="{network.ranks_per_node}" bw="{network.bandwidth_mb_per_s:.9g}MBps" '
        f'lat="{network.latency_ns / 2:.9g}ns" sharing_policy="SPLITDUPLEX" {_LOOPBACK}/>\n'
        "</platform>\n"
    )


def hosts_of(network: Network, ranks: int) -> str:
    """The node of each rank, a line each: a node is filled before the next is taken."""
    return "".join(f"node-{rank // network.ranks_per_node}\n" for rank in range(ranks))


def nodes_of(network: Network, ranks: int) -> int:
    """How many nodes this many ranks take."""
    return -(-ranks // network.ranks_per_node)
