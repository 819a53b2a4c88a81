"""What launchers call instead of ssh to start something on another host of a cluster."""

import shlex
from pathlib import Path

from polympi.lab.cluster.cluster import Cluster
from polympi.lab.process import MARK

# Options, the host, and the command as a shell reads it.
_SCRIPT = """#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift
case $host in
%s
*) echo "there is no host '$host'" >&2; exit 255 ;;
esac
"""


def write_ssh_agent(cluster: Cluster, configuration: Path) -> None:
    """Write the program that launchers call for hosts with ssh: ssh with a configuration of the cluster's own."""
    _write(cluster, f'#!/bin/sh\nexec ssh -F {shlex.quote(str(configuration))} "$@"\n')


def write_agent(cluster: Cluster) -> None:
    """Write the program that launchers call instead of ssh, for hosts without it.

    As with ssh, the command gets none of the variables of the launcher, save the one by which a launch is found that
    has to be ended.
    """
    clean = f'env -i PATH=/usr/local/bin:/usr/bin:/bin HOME={shlex.quote(str(Path.home()))} {MARK}="${{{MARK}-}}"'
    cases = [f'{host.name}) exec {shlex.join(host.command([]))} {clean} sh -c "$*" ;;' for host in cluster.hosts]
    _write(cluster, _SCRIPT % "\n".join(cases))


def _write(cluster: Cluster, script: str) -> None:
    cluster.agent.write_text(script, encoding="utf-8")
    cluster.agent.chmod(0o755)
