"""Labels of nominal columns as a reader takes them apart: standard library only, no SQL.

Within braces a label is a line of CSV with a space after each comma. Definition:
docs/partitioning.md.
"""

import csv
import re
from collections.abc import Sequence

_NULL = " or NULL"


def read(label: str | None) -> tuple[list[str] | None, bool]:
    """The names in a label, None if it says only how many; and whether values are missing.

    A label without braces is its only name, a value or the label of a hierarchy.
    """
    if label is None:
        return [], True
    text = label.removesuffix(_NULL)
    is_null = text != label
    if not text.startswith("{"):
        return [text], is_null
    if re.fullmatch(r"\{\d+ of \d+ values\}", text):
        return None, is_null
    inner = text.removeprefix("{").removesuffix("}")
    (names,) = csv.reader(inner.splitlines(keepends=True) or [""], skipinitialspace=True)
    return names or [""], is_null


def write(values: Sequence[str | None], total: int, most: int) -> str | None:
    """The label of a class with these values, in their order, without a hierarchy.

    Args:
        total: values of the column.
        most: names that a label has at most.
    """
    known = [value for value in values if value is not None]
    if not known:
        return None
    suffix = _NULL if len(known) < len(values) else ""
    if len(known) > most:
        return f"{{{len(known)} of {total} values}}{suffix}"
    if len(known) == 1 and not (known[0].startswith("{") or known[0].endswith(_NULL)):
        return known[0] + suffix
    return f"{{{', '.join(_quoted(value, alone=len(known) == 1) for value in known)}}}{suffix}"


def _quoted(value: str, *, alone: bool) -> str:
    is_plain = value.strip(" ") == value not in ("", "NULL") and not {*value} & {*',"{}\r\n'}
    return value if is_plain and not alone else '"' + value.replace('"', '""') + '"'
