#!/bin/sh
# What a container that is a host runs: sshd, with keys in a folder ($1) that all hosts of the cluster share, and no
# others know. The first host makes them. All show the same key, so that one line says which hosts are known.
set -eu
keys=$1
if ! [ -x /usr/sbin/sshd ]; then
    echo "this image has no /usr/sbin/sshd: install openssh-server in it" >&2
    exit 1
fi
umask 077
(
    flock 9
    if ! [ -f "$keys/config" ]; then
        rm -f "$keys/key" "$keys/host_key"
        ssh-keygen -q -t ed25519 -N '' -C polympi -f "$keys/key"
        ssh-keygen -q -t ed25519 -N '' -C polympi -f "$keys/host_key"
        cp "$keys/key.pub" "$keys/authorized_keys"
        echo "* $(cat "$keys/host_key.pub")" >"$keys/known_hosts"
        cat >"$keys/sshd_config" <<END
HostKey $keys/host_key
AuthorizedKeysFile $keys/authorized_keys
StrictModes no
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
UseDNS no
MaxStartups 1000
MaxSessions 1000
PrintMotd no
PidFile none
AcceptEnv POLYMPI_LAUNCH
END
        cat >"$keys/config.partial" <<END
Host *
    User root
    IdentityFile $keys/key
    IdentitiesOnly yes
    UserKnownHostsFile $keys/known_hosts
    GlobalKnownHostsFile /dev/null
    StrictHostKeyChecking yes
    BatchMode yes
    ConnectTimeout 10
    LogLevel ERROR
    SendEnv POLYMPI_LAUNCH
END
        mv "$keys/config.partial" "$keys/config"
    fi
) 9>"$keys/lock"
umask 022
mkdir -p /run/sshd /etc/ssh/ssh_config.d
cp "$keys/config" /etc/ssh/ssh_config.d/polympi.conf # so that a plain `ssh HOST` works between the hosts, too
exec /usr/sbin/sshd -D -e -f "$keys/sshd_config"
