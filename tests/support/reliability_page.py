"""Tables of docs/reliability.md that commands write: between two comments, nothing else."""

from __future__ import annotations

import re

from tests.paths import ROOT

PAGE = ROOT / "docs" / "reliability.md"


def write_section(name: str, text: str) -> None:
    """Replace what stands between `<!-- name:begin -->` and `<!-- name:end -->`.

    Raises:
        ValueError: the page lacks one of the two.
    """
    page = PAGE.read_text(encoding="utf-8")
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    marked = re.compile(f"{re.escape(begin)}.*{re.escape(end)}", re.DOTALL)
    if not marked.search(page):
        raise ValueError(f"docs/reliability.md has no place for {name}")
    PAGE.write_text(
        marked.sub(lambda _: f"{begin}\n{text}\n{end}", page), encoding="utf-8", newline="\n"
    )
