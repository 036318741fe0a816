"""Addresses of daemons. The C++ library and the command refuse the same ones, in the same words."""

from __future__ import annotations

import re

_PORT = re.compile(r"[0-9]{1,5}")


def check_address(address: str) -> None:
    """ValueError for what is not an address, with what was probably meant."""
    if address.startswith("unix:") and len(address) > len("unix:"):
        return
    problem = _problem(address)
    if problem is not None:
        raise ValueError(
            "the address of the daemon must be HOST:PORT or unix:PATH, "
            f"not '{address}'{problem and '; '}{problem}"
        )


def host_and_port(address: str) -> tuple[str, int]:
    """The two parts of a valid HOST:PORT; an IPv6 address has no brackets then."""
    host, _, port = address.rpartition(":")
    return host.removeprefix("[").removesuffix("]"), int(port)


def _problem(address: str) -> str | None:
    """Advice about an invalid address; empty if none is known, None if it is valid."""
    if address.startswith("/"):
        return f"write 'unix:{address}'"
    scheme, separator, rest = address.rpartition("://")
    host = rest.lstrip("/").partition("/")[0]
    if separator or "/" in address:
        found = _problem(host)
        if not host or "://" in scheme or (found is not None and _has_port(host)):
            return ""
        advice = f"write '{host}'" if found is None else f"write '{host}:PORT'"
        return advice + (", and connect with TLS" if scheme in ("https", "grpcs") else "")
    if address in ("", "unix:") or any(c <= " " or c in "@?#,\x7f" for c in address):
        return ""
    host, colon, port = address.rpartition(":")
    if address.startswith("["):
        if address.endswith("]"):
            return f"it lacks a port, as in '{address}:50051'"
        bracketed = re.fullmatch(r"\[[0-9A-Fa-f:.]+(?:%[\w.-]+)?\]", host)
        if bracketed is None:
            return "an IPv6 address is in brackets, as in '[::1]:50051'"
    elif ":" in host:
        return "an IPv6 address is in brackets, as in '[::1]:50051'"
    if not colon and address.isdigit():
        return f"it lacks a host, as in 'localhost:{address}'"
    if not colon:
        return f"it lacks a port, as in '{address}:50051'"
    if not host:
        return f"it lacks a host, as in 'localhost:{port}'" if port else ""
    if not _PORT.fullmatch(port) or not 0 < int(port) < 65536:
        return "the port must be a number from 1 to 65535"
    return None


def _has_port(host: str) -> bool:
    return ":" in host.rpartition("]")[2]
