"""Network namespaces that are joined by a bridge, so that one machine can be cut off from the others."""

from __future__ import annotations

import ctypes
import os
import socket
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# Addresses for tests of networks (RFC 2544, appendix C.2.2), which no network in use has. Each process takes some of them.
PREFIX = f"198.18.{os.getpid() % 256}"


class Network:
    """The tests are at `address`, and each machine is in a namespace of its own. Only root may make it."""

    address = f"{PREFIX}.1"

    def __init__(self, count: int) -> None:
        self._name = f"tx{os.getpid()}"
        self._count = count
        _ip("link", "add", "name", self._name, "type", "bridge")
        try:
            _ip("address", "add", f"{self.address}/24", "dev", self._name)
            _ip("link", "set", self._name, "up")
            for number in range(count):
                self._add(number)
        except BaseException:
            self.close()
            raise

    def _add(self, number: int) -> None:
        namespace, link = self._namespace(number), self._link(number)
        _ip("netns", "add", namespace)
        _ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", namespace)
        _ip("link", "set", link, "master", self._name, "up")
        _ip("-n", namespace, "address", "add", f"{self.address_of(number)}/24", "dev", "eth0")
        for device in ("lo", "eth0"):
            _ip("-n", namespace, "link", "set", device, "up")

    def _namespace(self, number: int) -> str:
        return f"{self._name}-{number}"

    def _link(self, number: int) -> str:
        return f"{self._name}v{number}"

    @staticmethod
    def address_of(number: int) -> str:
        return f"{PREFIX}.{number + 10}"

    def words(self, number: int) -> list[str]:
        """The words before a command that runs on a machine."""
        return ["ip", "netns", "exec", self._namespace(number)]

    def listen(self, number: int, port: int) -> socket.socket:
        """A socket on which this process accepts the connections to a machine."""

        def listening() -> socket.socket:
            # setns(2) moves only the calling thread.
            with Path("/run/netns", self._namespace(number)).open() as namespace:
                assert ctypes.CDLL(None).setns(namespace.fileno(), 0) == 0
            return socket.create_server((self.address_of(number), port))

        with ThreadPoolExecutor(1) as thread:
            return thread.submit(listening).result()

    def keep_neighbour(self, number: int) -> None:
        """Keeps the hardware address of a machine, so that packets to it are lost while it is cut off, without an error."""
        address = self.address_of(number)
        found = subprocess.run(
            ["ip", "-n", self._namespace(number), "-br", "link", "show", "eth0"],
            capture_output=True, text=True, timeout=30, check=True,
        ).stdout.split()[2]
        _ip("neighbour", "replace", address, "lladdr", found, "dev", self._name, "nud", "permanent")

    def cut(self, number: int) -> None:
        """Drops every packet from and to a machine. Its connections stay open without an answer."""
        _ip("link", "set", self._link(number), "down")

    def mend(self, number: int) -> None:
        _ip("link", "set", self._link(number), "up")

    def close(self) -> None:
        for number in range(self._count):
            # The link is removed together with its other end.
            if Path("/run/netns", self._namespace(number)).exists():
                _ip("netns", "delete", self._namespace(number))
        _ip("link", "delete", self._name)


def _ip(*words: str) -> None:
    result = subprocess.run(["ip", *words], capture_output=True, text=True, timeout=30, check=False)
    assert result.returncode == 0, f"ip {' '.join(words)}: {result.stderr}"
