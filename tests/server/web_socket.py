"""The client's end of a WebSocket, as little of it as tests need."""

import base64
import hashlib
import os
import struct

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


def handshake(key):
    """What the server has to answer to a key."""
    return base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()


class WebSocket:
    """On a connection that is open. `headers` of the request, each a pair; None in place of a value leaves it out."""

    def __init__(self, connection, host, token, path="/api/v1/socket", method="GET", version="HTTP/1.1", **changes):
        self.connection = connection
        self.key = base64.b64encode(os.urandom(16)).decode()
        self.received = b""
        headers = {
            "Host": host,
            "Origin": f"http://{host}",
            "Connection": "keep-alive, Upgrade",
            "Upgrade": "websocket",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": self.key,
            "Sec-WebSocket-Protocol": f"sonde.v1, token.{token}",
        } | {name.replace("_", "-"): value for name, value in changes.items()}
        lines = [f"{method} {path} {version}", *(f"{name}: {value}" for name, value in headers.items() if value is not None), "", ""]
        connection.sendall("\r\n".join(lines).encode())
        while b"\r\n\r\n" not in self.received:
            self.receive()
        head, self.received = self.received.split(b"\r\n\r\n", 1)
        first, *rest = head.decode().split("\r\n")
        self.status = int(first.split()[1])
        self.headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in rest)}

    def receive(self):
        more = self.connection.recv(65536)
        if not more:
            raise ConnectionError("closed")
        self.received += more

    def take(self, count):
        while len(self.received) < count:
            self.receive()
        taken, self.received = self.received[:count], self.received[count:]
        return taken

    def send(self, opcode, payload):
        length = len(payload)
        size = bytes([0x80 | length]) if length < 126 else struct.pack(">BH", 0xFE, length) if length < 65536 else struct.pack(">BQ", 0xFF, length)
        mask = os.urandom(4)
        self.connection.sendall(bytes([0x80 | opcode]) + size + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload)))

    def read(self):
        """The next frame: its opcode and payload."""
        first, size = self.take(2)
        if size >= 126:
            size = int.from_bytes(self.take(2 if size == 126 else 8), "big")
        return first & 15, self.take(size)
