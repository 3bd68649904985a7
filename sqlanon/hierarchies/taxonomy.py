"""A tree in a text file, one line per inner node."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import Field

from sqlanon.bounds import PathText
from sqlanon.errors import HierarchyError
from sqlanon.hierarchies.base import Hierarchy
from sqlanon.hierarchies.taxonomy_file import TaxonomyError, depth_of, inner_nodes


class Taxonomy(Hierarchy):
    """A tree in a text file, one line `parent: child, child` per inner node.

    The file is looked up like a CSV file. The first colon of a line ends the parent, so names of
    children may contain colons; no name contains a comma. Spaces and tabs around names are trimmed,
    blank lines and lines that begin with `#` are skipped, and quotes have no special meaning. A
    leaf that is less deep than the deepest one keeps its own label up to the level of its parent.
    """

    template = "hierarchies/taxonomy.sql"
    key = "taxonomy"
    endings = ("txt",)
    form = "text in UTF-8, one line `parent: child, child` per inner node"

    taxonomy: PathText = Field(description=f"path of a file: {form}")

    def __init__(self, taxonomy: str | Path, **keys: Any) -> None:
        self._set_keys(taxonomy=taxonomy, **keys)

    @property
    def top_label(self) -> str | None:
        return None

    @property
    def level_count(self) -> int | None:
        return None

    @property
    def file_path(self) -> str:
        return self.taxonomy

    def looked_at(self, found: Path, path_in_sql: str, where: str) -> FoundTaxonomy:
        """The same hierarchy with the number of levels counted in the file."""
        try:
            levels = depth_of(inner_nodes(found.read_bytes())) + 1
        except TaxonomyError as error:
            place = f"Line {error.line} of" if error.line else "The taxonomy file"
            raise HierarchyError(
                f"{place} '{self.file_path}' {error.what}.", where=where, fix=error.fix
            ) from None
        return FoundTaxonomy(taxonomy=path_in_sql, levels=levels)


class FoundTaxonomy(Taxonomy):
    """A taxonomy that was found and is a tree: all that SQL needs to read it is known."""

    levels: int

    @property
    def level_count(self) -> int:
        return self.levels
