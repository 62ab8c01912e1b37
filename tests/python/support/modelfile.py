"""The format of model files, read and written here without the library."""

from __future__ import annotations

import hashlib
import json

ZEROS = "0" * 64


def split(data):
    """The header, what it says about the model, and the bytes of the arrays."""
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    return header, header["__metadata__"]["nystream"], data[8 + size :]


def join(header, body):
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + body


def checksum(about, header, body):
    """SHA-256 of the header with zeros as its checksum, and of every array's name, shape, bytes."""
    digest = hashlib.sha256(about.encode())
    for name in sorted(set(header) - {"__metadata__"}):
        shape, (first, last) = header[name]["shape"], header[name]["data_offsets"]
        digest.update(name.encode() + b"\0" + bytes([len(shape)]))
        digest.update(b"".join(n.to_bytes(8, "little") for n in shape))
        digest.update(body[first:last])
    return digest.hexdigest()


def tampered(data, change):
    """The bytes with another header, signed anew: what a forger, and not chance, would write."""
    header, about, body = split(data)
    about = json.loads(about)
    change(about, header)
    about["sha256"] = ZEROS
    text = json.dumps(about, separators=(",", ":"))
    about["sha256"] = checksum(text, header, body)
    header["__metadata__"]["nystream"] = json.dumps(about, separators=(",", ":"))
    return join(header, body)
