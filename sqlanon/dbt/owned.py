"""Files that sqlanon writes into a dbt project, and how it knows them again: by a header."""

from __future__ import annotations

import hashlib

_DIGEST = "sha256 of the lines below: {digest}"


def headed(path: str, title: str, body: str) -> str:
    """A file with its header.

    Args:
        path: its name; YAML and SQL have comments of their own.
        title: one line that says what wrote the file.
    """
    digest = _DIGEST.format(digest=digest_of(body))
    if path.endswith(".yml"):
        return f"# {title}\n# {digest}\n{body}"
    return f"{{#- {title}\n    {digest} -#}}\n{body}"


def title_of(text: str) -> str:
    """The title in the header of a file; any text if there is no header."""
    return text.partition("\n")[0].removeprefix("# ").removeprefix("{#- ")


def is_unchanged(path: str, text: str) -> bool:
    """Whether a file is as it was written: its header has the digest of the rest."""
    *header, body = text.split("\n", 2)
    return len(header) == 2 and text == headed(path, title_of(text), body)


def digest_of(text: str) -> str:
    """The digest of a text."""
    return hashlib.sha256(text.encode()).hexdigest()
