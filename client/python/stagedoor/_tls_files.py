"""Checks certificates and keys.

gRPC finds out only when it connects that it cannot use them, and then as if there were no daemon.
"""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stagedoor._options import TLS


def check_tls_files(tls: TLS) -> None:
    """ValueError for files that cannot be used, OSError for those that cannot be read."""
    for path in filter(None, (tls.ca, tls.certificate)):
        if not _has_certificate(path):
            raise ValueError(f"{path!r} is not a certificate in PEM form")
    if not (tls.certificate and tls.key):
        return
    try:
        load_identity(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), tls)
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            raise ValueError(
                f"the key {tls.key!r} is not that of the certificate {tls.certificate!r}"
            ) from None
        raise ValueError(f"{tls.key!r} is not a key in PEM form without a password") from None


def load_identity(context: ssl.SSLContext, tls: TLS) -> None:
    """Loads the certificate and key of the client, if it has them."""
    if tls.certificate and tls.key:  # an empty password, instead of asking on the terminal
        context.load_cert_chain(tls.certificate, tls.key, password="")


def _has_certificate(path: str) -> bool:
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(path)
    except ssl.SSLError:
        return False
    return True
