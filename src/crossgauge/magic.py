"""What a file that should be text is instead, by its first bytes: an archive, a picture, a spreadsheet."""

from __future__ import annotations

import re
from dataclasses import dataclass

HEAD = 1024  # bytes that tell
_LONGEST = 4  # bytes of a character
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")  # in no text; ESC colours some
_ODD = 0.05  # so large a part of text is none of these
_WIDE = 0.25  # so large a part of Latin letters in UTF-16 is NUL, and more
_PDF = b"%PDF-"  # may go on as text
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Other:
    """A format that is no text."""

    name: str  # "a zip archive"
    fix: str

    @property
    def found(self) -> str:
        """As a fault says it."""
        return f"{self.name}, by its first bytes"


_UNPACK = "unpack it, and name the file inside"
_SHEET = "save the sheet as CSV (UTF-8)"
_TABLE = "name the table that lists the files, not one of them"
_CONVERT = "write what it holds as text in UTF-8"
_PARQUET = "name it *.parquet where a Parquet table is taken; else write it as text in UTF-8"
_MAGIC: tuple[tuple[bytes, str, str], ...] = (  # as a regular expression
    (rb"PK\x03\x04.{0,900}?(\[Content_Types\]\.xml|xl/)", "an Excel or another Office file", _SHEET),
    (rb"PK\x03\x04.{26}mimetypeapplication/vnd\.oasis", "an OpenDocument file", _SHEET),
    (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel or another Office file", _SHEET),
    (rb"PK(\x03\x04|\x05\x06|\x07\x08)", "a zip archive", _UNPACK),
    (rb"\x1f\x8b", "a gzip archive", _UNPACK),
    (rb"BZh[1-9](1AY&SY|\x17rE8P\x90)", "a bzip2 archive", _UNPACK),
    (rb"\xfd7zXZ\0", "an xz archive", _UNPACK),
    (rb"\x28\xb5\x2f\xfd", "a Zstandard archive", _UNPACK),
    (rb"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", _UNPACK),
    (rb"Rar!\x1a\x07", "a RAR archive", _UNPACK),
    (rb".{257}ustar", "a tar archive", _UNPACK),
    (rb"PAR1", "a Parquet table", _PARQUET),
    (rb"ARROW1|FEA1", "an Arrow or Feather table", _CONVERT),
    (rb"\x93NUMPY", "a NumPy array", _CONVERT),
    (rb"\x89HDF\r\n", "an HDF5 file", _CONVERT),
    (rb"SQLite format 3\0", "an SQLite database", "export the table as CSV (UTF-8)"),
    (rb"\x80[\x02-\x05][\x95(c\]}\x8c]", "a pickle", _CONVERT),
    (rb".{4}\0\0\0\0\{", "a safetensors file", _CONVERT),
    (rb"%PDF-", "a PDF document", "take the table from where the document was made, as CSV (UTF-8)"),
    (rb"\x89PNG\r\n|\xff\xd8\xff|GIF8[79]a|RIFF.{4}WEBP|II\*\0|MM\0\*|BM.{4}\0\0\0\0", "a picture", _TABLE),
    (rb".{4}ftyp(avif|hei[cf]|mif1)", "a picture", _TABLE),
    (rb".{4}ftyp|\x1a\x45\xdf\xa3|RIFF.{4}AVI ", "a video", _TABLE),
)
_KNOWN = tuple((re.compile(magic, re.DOTALL), Other(name, fix)) for magic, name, fix in _MAGIC)
_UNKNOWN = Other("a binary file of no known format", "is this the right file?")


def no_text(head: bytes) -> Other | None:
    r"""The format of a file that begins so; None for what may be text, in any encoding.

    Text that begins with the letters of a format by chance stays text.

    >>> no_text(b"PK\x03\x04...").name, no_text(b"%PDF-1.7\n%").name
    ('a zip archive', 'a PDF document')
    >>> no_text("query,größe\n".encode("latin-1")), no_text(b"PAR1,a.png\n")
    (None, None)
    """
    head = head[:HEAD]
    odd = len(_CONTROL.findall(head))
    if head.startswith(_UTF16) or (not odd and _decodes(head) and not head.startswith(_PDF)):
        return None
    found = next((other for magic, other in _KNOWN if magic.match(head)), None)
    if found is not None:
        return found
    wide = head.count(0) >= _WIDE * len(head)  # UTF-16 without a mark
    return _UNKNOWN if odd >= _ODD * len(head) and not wide and not _decodes(head) else None


def _decodes(head: bytes) -> bool:
    """Whether bytes are UTF-8, but for a character cut at the end."""
    try:
        head.decode()
    except UnicodeDecodeError as error:
        return error.start >= len(head) - _LONGEST and error.reason == "unexpected end of data"
    return True
