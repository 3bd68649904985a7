"""How a file is to be read: its format, and of a CSV file delimiter, header, quote and encoding.

DuckDB's `sniff_csv` proposes; where the first lines say something else, they decide.
Nothing in the file is executed, and no cell is in what is returned.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sqlanon.discovery.content import NAME_SHARE, is_person_name
from sqlanon.errors import EngineError, PlanError, brief
from sqlanon.plan.tables import Source
from sqlanon.sql.render import question
from sqlanon.sql.step import Search

_HEAD = 1 << 20
"""Bytes of a file that are looked at."""

_RECORDS = 1_000
_DELIMITERS = (",", ";", "\t", "|")


def with_format(source: Source, file: Path | None) -> Source:
    """The source with its format, found from the first bytes if the file's name does not say it."""
    if file is None or source.file_format:
        return source
    head = _head(file)
    if head.startswith(b"PAR1"):
        kind = "parquet"
    else:
        kind = "json" if head.lstrip()[:1] in (b"{", b"[") else "csv"
    return source.model_copy(update={"format": kind})


def with_encoding(source: Source, files: Sequence[Path]) -> Source:
    """A CSV source with the encoding of its files.

    Raises:
        PlanError: the first one is empty, or one has bytes of another encoding.
    """
    head = _head(files[0])
    if not head.strip():
        raise PlanError(
            "The file is empty: it has no columns.",
            where="source",
            fix="check the path, and the step that writes the file",
        )
    if source.encoding or (not _is_utf_16(head) and all(map(_is_utf_8, files))):
        return source
    if not _is_utf_16(head):
        for file in files:
            _refuse_others(file)
    encoding = "utf-16" if _is_utf_16(head) else "latin-1"
    return source.model_copy(update={"encoding": encoding})


def _refuse_others(file: Path) -> None:
    """Refuse a file with bytes that are no text in Latin-1."""
    with _opened(file) as content:
        for line, text in enumerate(content, start=1):
            if _OTHERS.search(text):
                raise PlanError(
                    f"Line {line:,} of '{brief(file.name)}' is neither UTF-8 nor Latin-1: it is in"
                    " another encoding (Windows-1252), in several, or a workbook of Excel.",
                    where="source",
                    fix="write it as CSV in UTF-8, as by iconv -f WINDOWS-1252 -t UTF-8",
                )


_OTHERS = re.compile(rb"[\x80-\x9f]|[\xc2\xc3][\xa0-\xbf]")
"""Control characters of Latin-1, which are a dash or a euro sign in Windows-1252; and two bytes of
UTF-8, which no language has one after the other in Latin-1."""


def _is_utf_8(file: Path) -> bool:
    """Whether a whole file is UTF-8, as one that is compressed by zst has to be."""
    if file.suffix.lower() == ".zst":
        return True
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with _opened(file) as content:
            while part := content.read(_HEAD):
                decoder.decode(part)
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def sniffed(source: Source, file: Path) -> Search[Source]:
    """A CSV source with delimiter, quote and header, as far as they are not given."""
    inputs = {"path": source.path or "", "encoding": source.encoding or "utf-8"}
    try:
        rows = yield question("discovery/sniffed_options", **inputs)
    except (EngineError, PlanError):
        rows = []  # the first lines decide alone
    delimiter, quote, header = rows[0] if rows else ("", "", True)
    text = _head(file).decode(source.encoding or "utf-8-sig", errors="replace")
    lines = text.removeprefix("\ufeff")
    quote = quote if len(quote or "") == 1 else '"'
    delimiter = _delimiter(lines, delimiter, quote)
    records = _records(lines, delimiter, quote)
    update: dict[str, Any] = {}
    if source.delimiter is None and delimiter != source.csv_delimiter:
        update["delimiter"] = delimiter
    if source.quote is None and quote != '"':
        update["quote"] = quote
    if not _has_header(records, sniffed=bool(header)):
        update["header"] = False
    return source.model_copy(update=update)


def header_notes(source: Source, file: Path) -> tuple[str, ...]:
    """What should be looked at in the first line of a CSV file: the names of the columns."""
    if not source.header:
        return ("The first line has no names, so the columns are called column0 and so on.",)
    lines = _head(file).decode(source.encoding or "utf-8-sig", errors="replace").lstrip("\ufeff")
    record, *_ = [*_records(lines, source.csv_delimiter, source.quote or '"'), []]
    names = [name.strip().lower() for name in record]
    if "" not in names and len({*names}) == len(names):
        return ()
    what = "no name" if "" in names else "the same name"
    return (f"In the first line, some columns have {what}, so they are called otherwise here.",)


def _opened(file: Path) -> io.BufferedIOBase:
    if file.suffix.lower() == ".gz":
        return gzip.open(file)
    return file.open("rb")


def _head(file: Path) -> bytes:
    """The first bytes; none of a file that is compressed in another way, or damaged."""
    if file.suffix.lower() == ".zst":
        return b"?"
    try:
        with _opened(file) as content:
            return content.read(_HEAD)
    except (OSError, EOFError) as error:
        raise PlanError(
            f"The source cannot be read ({type(error).__name__}).",
            where="source",
            fix="check that it is a readable file",
        ) from None


def _is_utf_16(head: bytes) -> bool:
    """Whether it says so, or every second byte is 0, as of Latin letters."""
    is_marked = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return is_marked or 3 * max(head[1::2].count(0), head[::2].count(0)) > len(head)


def _records(lines: str, delimiter: str, quote: str) -> list[list[str]]:
    """The first records, without one that the head may cut off."""
    reader = csv.reader(io.StringIO(lines, newline=""), delimiter=delimiter, quotechar=quote)
    records: list[list[str]] = []
    try:
        for record in reader:
            records.append(record)
            if len(records) > _RECORDS:
                break
    except csv.Error:
        return records
    is_cut = len(lines.encode("utf-8", "replace")) >= _HEAD // 2 and len(records) <= _RECORDS
    return records[:-1] if is_cut and len(records) > 1 else records


def _delimiter(lines: str, sniffed: str, quote: str) -> str:
    """The delimiter by which most records have as many fields as the first one, and the most."""

    def fit(delimiter: str) -> tuple[float, int]:
        counts = [len(record) for record in _records(lines, delimiter, quote) if record]
        if not counts or counts[0] < 2:
            return 0.0, 0
        return round(counts.count(counts[0]) / len(counts), 1), counts[0]

    candidates = [sniffed] if len(sniffed or "") == 1 else []
    names = not re.search(r"\d", lines.partition("\n")[0])  # else colons may be those of times
    others = (*_DELIMITERS, ":") if names else _DELIMITERS
    candidates += [each for each in others if each not in candidates]
    best = max(candidates, key=fit)  # of equal ones the sniffed one, which comes first
    return best if fit(best)[1] > 1 else ","


_VALUE = re.compile(r"[+-]?[\d.,]*\d[\d.,]*%?|\d{1,4}[./-]\d{1,2}[./-]\d{1,4}.*|.*@.*\..*")


def _has_header(records: Sequence[Sequence[str]], *, sniffed: bool) -> bool:
    """Whether the first record has names.

    A number, a date, an e-mail address, a cell that the same column has again, or a person's name
    above others is a value. Where none is there, `sniff_csv` decides by the types, unless the
    record looks like names.
    """
    if not records:
        return True
    first, *rest = records
    if any(_VALUE.fullmatch(cell.strip()) for cell in first):
        return False
    for place, cell in enumerate(first):
        column = [record[place] for record in rest if len(record) > place]
        if cell.strip() and cell in column:
            return False
        if is_person_name(cell.strip()):
            persons = sum(is_person_name(each.strip()) for each in column)
            if persons and persons >= NAME_SHARE * len(column):
                return False
    names = [cell.strip() for cell in first if cell.strip()]
    are_names = all(re.fullmatch(r"[\w .()/%-]{1,60}", name) for name in names)
    return sniffed or len(rest) < 2 or (are_names and len({*names}) == len(names))
