"""A request as multipart/form-data (RFC 7578): fields of text and one file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from squtr.digest import digest_bytes


@dataclass(frozen=True, slots=True)
class Form:
    """Fields in order, and a file under `file_field`. Names hold no quotes and no line ends."""

    fields: Mapping[str, str]
    file_field: str
    file_name: str
    file_type: str
    file: bytes

    @property
    def boundary(self) -> str:
        """What stands between the parts; from the file's digest, so equal forms are equal bytes."""
        return f"squtr-{digest_bytes(self.file)}"

    @property
    def content_type(self) -> str:
        """The media type of the body."""
        return f"multipart/form-data; boundary={self.boundary}"

    def body(self) -> bytes:
        """Return the bytes to send."""
        parts = [
            f'Content-Disposition: form-data; name="{name}"\r\n\r\n{value}'.encode(
                "utf-8", "backslashreplace"
            )
            for name, value in self.fields.items()
        ]
        named = f'name="{self.file_field}"; filename="{self.file_name}"'
        head = f"Content-Disposition: form-data; {named}\r\nContent-Type: {self.file_type}\r\n\r\n"
        parts.append(head.encode() + self.file)
        line = f"--{self.boundary}".encode()
        return b"".join(line + b"\r\n" + part + b"\r\n" for part in parts) + line + b"--\r\n"
