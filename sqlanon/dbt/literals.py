"""Values and words as Jinja has them, and words that it leaves alone."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from sqlanon.sql.render import comment

JINJA = re.compile(r"\{(?=[{%#])")
"""The beginning of what dbt would take for Jinja."""


class Relation(str):
    """A relation of the project as Jinja has it: `ref('patients')`."""


def plain_words(text: str) -> str:
    """Words for a comment, a description or `meta`: on one line, and no Jinja."""
    return JINJA.sub("{ ", comment(text)).replace("#}", "# }")


def literal(value: Any, mark: str = "'") -> str:
    """A value as Jinja has it.

    Args:
        mark: the quotation mark of texts.
    """
    if isinstance(value, Relation):
        return value
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace(mark, f"\\{mark}").replace("\n", "\\n")
        return f"{mark}{escaped}{mark}"
    if isinstance(value, list):
        return f"[{', '.join(literal(each, mark) for each in value)}]"
    if isinstance(value, Decimal):
        return format(value, "f")
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)
