"""Limits on the number of connections, and the choice of those evicted for new ones."""

from __future__ import annotations

import ipaddress
from collections import defaultdict
from dataclasses import dataclass
from itertools import count
from typing import Any, Protocol

from nystream.serve._http import RefusedError


@dataclass(frozen=True)
class Limits:
    """The most that the server takes from clients before it knows who they are.

    Parameters
    ----------
    max_connections
        The most connections at a time.
    max_per_address
        The most of them from one address, or from one IPv6 network of 64 bits.
    header_timeout
        Seconds in which the headers of a request have to come, and in which a client has to take
        what it was answered.
    """

    max_connections: int = 1000
    max_per_address: int = 100
    header_timeout: float = 10.0


class Member(Protocol):
    """A connection, as far as it matters here."""

    address: str

    @property
    def is_busy(self) -> bool:
        """True if it has a request whose answer is not sent yet."""

    def precedence(self) -> tuple[Any, ...]:
        """Return what is least for the connection that has to go first."""

    def drop(self) -> None:
        """End at once."""

    def refuse(self, refusal: RefusedError) -> None:
        """Answer so, and end."""


class Crowd:
    """All connections. Beyond a limit, one that has no request in hand is evicted for the new one;
    where all of them have one, the new one is refused.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.turns = count()  # in which connections came, or had their last answer
        self._all: set[Member] = set()
        self._of: defaultdict[str, set[Member]] = defaultdict(set)

    def __len__(self) -> int:
        return len(self._all)

    def enter(self, member: Member) -> None:
        """Take a new connection in, or refuse it."""
        mine = self._of[member.address]
        self._all.add(member)
        mine.add(member)
        limits = self.limits
        for members, most in (mine, limits.max_per_address), (self._all, limits.max_connections):
            if not self._evict(members, most, member):
                reason = f"all of {most} connections are busy"
                member.refuse(RefusedError(503, reason, (b"retry-after", b"1")))
                return

    def leave(self, member: Member) -> None:
        """Forget a connection that has ended; a second call does nothing."""
        self._all.discard(member)
        if mine := self._of.get(member.address):
            mine.discard(member)
            if not mine:
                del self._of[member.address]

    def _evict(self, members: set[Member], most: int, new: Member) -> bool:
        """Drop connections until there are at most so many; tell whether that was possible."""
        while len(members) > most:
            waiting = [member for member in members if not member.is_busy and member is not new]
            if not waiting:
                return False
            first = min(waiting, key=lambda member: member.precedence())
            self.leave(first)
            first.drop()
        return True


def network(address: str) -> str:
    """Return what stands for a client: its address, or the network that an IPv6 client has."""
    if ":" not in address:
        return address
    number = int(ipaddress.IPv6Address(address.partition("%")[0]))
    return str(ipaddress.IPv6Address(number >> 64 << 64))
