"""`python -m reflow -np N program.py`: starts a program as N connected processes.

Each process finds its number and the addresses of all in its environment. With `--hosts a:2,b:2` nothing is started:
the commands are printed, one per process, to be run on the machines that they name.
"""

from __future__ import annotations

import os
import shlex
import socket
import subprocess
import sys
import time

ADDRESSES = "REFLOW_HOROVOD_ADDRESSES"
#: of processes on other machines; the next ones of a machine get the next ports
FIRST_PORT = 29500


def environment(addresses: list[str], rank: int) -> dict[str, str]:
    """The variables that tell a process its place, under Horovod's names."""
    host = addresses[rank].rpartition(":")[0]
    local = [i for i, address in enumerate(addresses) if address.rpartition(":")[0] == host]
    hosts = list(dict.fromkeys(address.rpartition(":")[0] for address in addresses))
    return {
        ADDRESSES: ",".join(addresses),
        "HOROVOD_RANK": str(rank),
        "HOROVOD_SIZE": str(len(addresses)),
        "HOROVOD_LOCAL_RANK": str(local.index(rank)),
        "HOROVOD_LOCAL_SIZE": str(len(local)),
        "HOROVOD_CROSS_RANK": str(hosts.index(host)),
        "HOROVOD_CROSS_SIZE": str(len(hosts)),
    }


def free_addresses(count: int) -> list[str]:
    """Free addresses on this machine."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [f"127.0.0.1:{one.getsockname()[1]}" for one in sockets]
    finally:
        for one in sockets:
            one.close()


def addresses_on(hosts: str) -> list[str]:
    """An address for each process on the machines of `a:2,b:1`."""
    addresses = []
    for part in hosts.split(","):
        host, _, count = part.partition(":")
        if not host or not (count or "1").isdigit():
            raise ValueError(f"--hosts must be of the form a:2,b:2. Received: {hosts!r}")
        addresses += [f"{host}:{FIRST_PORT + i}" for i in range(int(count or 1))]
    return addresses


def commands(addresses: list[str], program: list[str]) -> list[str]:
    """What to run for each process, and where."""
    lines = []
    for rank, address in enumerate(addresses):
        variables = " ".join(f"{name}={shlex.quote(value)}" for name, value in environment(addresses, rank).items())
        lines.append(f"{address.rpartition(':')[0]}$ {variables} python -m reflow {shlex.join(program)}")
    return lines


def run_all(count: int, program: list[str]) -> int:
    """Run a program as `count` processes on this machine.

    When one fails the others are ended; the status is the first failure's.
    """
    addresses = free_addresses(count)
    command = [sys.executable, "-m", "reflow", *program]
    running = [subprocess.Popen(command, env=os.environ | environment(addresses, rank)) for rank in range(count)]
    try:
        while True:
            codes = [process.poll() for process in running]
            failed = [code for code in codes if code]
            if failed:
                return _status(failed[0], running)
            if None not in codes:
                return 0
            time.sleep(0.05)
    finally:
        for process in running:
            process.kill()
            process.wait()


def _status(code: int, running: list[subprocess.Popen]) -> int:
    """The status of a failed process, after the others have had a moment to say what they think about it."""
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline and any(process.poll() is None for process in running):
        time.sleep(0.05)
    return 128 - code if code < 0 else code


def main(arguments: list[str]) -> int:
    """`-np N [--hosts LIST] PROGRAM ARGUMENTS…`, without the first word."""
    number, rest = arguments[0] if arguments else "", arguments[1:]
    hosts = None
    if rest and rest[0] in ("--hosts", "-H"):
        hosts, rest = rest[1] if len(rest) > 1 else "", rest[2:]
    if not number.isdigit() or int(number) < 1 or not rest:
        print("usage: python -m reflow -np NUMBER [--hosts a:2,b:2] PROGRAM.py [ARGUMENTS...]", file=sys.stderr)
        return 2
    if hosts is None:
        return run_all(int(number), rest)
    addresses = addresses_on(hosts)
    if len(addresses) != int(number):
        print(f"python -m reflow: -np {number}, but --hosts has {len(addresses)} places", file=sys.stderr)
        return 2
    print("\n".join(commands(addresses, rest)))
    return 0
