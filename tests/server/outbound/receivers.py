"""Receivers of webhooks on this machine, and name servers that say what a test tells them."""

from __future__ import annotations

import asyncio
import datetime
import ssl
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import h11
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from treadle.server.outbound.rules import OutboundRules

SECRET = b"a secret of thirty-two bytes, or so"
OWN = ("127.0.0.0/8",)
ANSWERED = b"HTTP/1.1 %d Said\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


def rules(**more: object) -> OutboundRules:
    """Rules under which this machine may be called."""
    return OutboundRules(**{"secret": SECRET, "allow_http": True, "networks": OWN, **more})  # type: ignore[arg-type]  # fields of the rules


class Names:
    """A name server by a table. Each name has the answers that it gives one after the other; the last one stays.

    Shape: `asked` are the names that were asked for.
    """

    def __init__(self, table: Mapping[str, Sequence[Iterable[str]]]) -> None:
        self._table = {name: [*map(list, answers)] for name, answers in table.items()}
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        """What a name stands for now."""
        self.asked.append(host)
        answers = self._table.get(host)
        if not answers:
            raise OSError(f"{host}:{port} is not known")
        return answers[0] if len(answers) == 1 else answers.pop(0)


@dataclass
class Received:
    """What came."""

    request: h11.Request
    body: bytes

    @property
    def headers(self) -> dict[str, str]:
        """Its headers."""
        return {name.decode(): value.decode() for name, value in self.request.headers}


@dataclass
class Receiver:
    """One that answers with these bytes, one after the other; the last of them stays."""

    answers: list[bytes]
    port: int = 0
    received: list[Received] = field(default_factory=list)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        connection, body, request = h11.Connection(h11.SERVER), b"", None
        while True:
            event = connection.next_event()
            if event is h11.NEED_DATA:
                connection.receive_data(await reader.read(4096))
            elif isinstance(event, h11.Request):
                request = event
            elif isinstance(event, h11.Data):
                body += event.data
            else:
                break
        if request is not None:
            self.received.append(Received(request, body))
            writer.write(self.answers[0] if len(self.answers) == 1 else self.answers.pop(0))
        writer.close()


@asynccontextmanager
async def receiving(*answers: bytes | int, tls: ssl.SSLContext | None = None) -> AsyncGenerator[Receiver, None]:
    """A receiver that answers with these statuses, or bytes."""
    said = [one if isinstance(one, bytes) else ANSWERED % one for one in answers or (200,)]
    receiver = Receiver(said)
    server = await asyncio.start_server(receiver.serve, "127.0.0.1", 0, ssl=tls)
    receiver.port = server.sockets[0].getsockname()[1]
    async with server:
        yield receiver


def certified(name: str, folder: Path) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """A server's context with a certificate of this name, and a client's that trusts it."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    day = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(day)
        .not_valid_after(day + datetime.timedelta(days=36500))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = made.public_bytes(serialization.Encoding.PEM)
    plain = serialization.NoEncryption()
    secret = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    chain = folder / f"{name}.pem"
    chain.write_bytes(pem + secret)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(chain)
    client = ssl.create_default_context(cadata=pem.decode())
    return server, client
