"""What kind of values each expression of a query has: sqlglot's inference, by a closed list."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.annotate_types import TypeAnnotator
from sqlglot.optimizer.qualify_columns import qualify_columns
from sqlglot.schema import MappingSchema


@dataclass(frozen=True)
class Kind:
    """A kind of values: empty if it is unknown, null of a value that is always missing."""

    name: str = ""
    # after the point, if they are known; of a double 0 if it is whole, 7 if of single precision
    decimals: int | None = None
    is_wide: bool = False  # a whole number that may have more than 64 bits, as a sum may

    @property
    def is_whole(self) -> bool:
        """Whether no number of this kind has a fraction."""
        return self.name in ("integer", "null") or self.decimals == 0

    @property
    def type(self) -> exp.DataType:
        """The type that carries this kind through sqlglot's inference."""
        return exp.DataType(this=_TYPES.get(self.name, exp.DType.UNKNOWN), kind=self)


UNKNOWN, NULL, TEXT, INTEGER, DOUBLE = map(Kind, ("", "null", "text", "integer", "double"))
BOOLEAN, DATE, TIMESTAMP, LIST = map(Kind, ("boolean", "date", "timestamp", "list"))
SINGLE, WIDE = Kind("double", 7), Kind("integer", is_wide=True)
NUMBERS = ("integer", "decimal", "double")

_TYPES = {
    "text": exp.DType.TEXT, "integer": exp.DType.BIGINT, "decimal": exp.DType.DECIMAL,
    "double": exp.DType.DOUBLE, "boolean": exp.DType.BOOLEAN, "date": exp.DType.DATE,
    "timestamp": exp.DType.TIMESTAMP, "list": exp.DType.ARRAY,
}  # fmt: skip

_BY_TYPE = {
    exp.DType.VARCHAR: TEXT, exp.DType.TEXT: TEXT, exp.DType.TINYINT: INTEGER,
    exp.DType.SMALLINT: INTEGER, exp.DType.INT: INTEGER, exp.DType.BIGINT: INTEGER,
    exp.DType.INT128: WIDE, exp.DType.DOUBLE: DOUBLE, exp.DType.FLOAT: SINGLE,
    exp.DType.BOOLEAN: BOOLEAN, exp.DType.DATE: DATE, exp.DType.TIMESTAMP: TIMESTAMP,
    exp.DType.TIMESTAMPNTZ: TIMESTAMP, exp.DType.NULL: NULL,
}  # fmt: skip

COLUMNS = "columns"
"""Key in `meta` of a table: the kinds of its columns by name."""


def kind_of_type(kind: exp.DataType) -> Kind:
    """The kind of a type of DuckDB's dialect."""
    if kind.this in (exp.DType.DECIMAL, exp.DType.BIGDECIMAL):  # as sqlglot calls BigQuery's
        digits = [int(part.name) for part in kind.expressions]
        return Kind("decimal", digits[1] if len(digits) == 2 else 0 if digits else 3)
    if kind.this in (exp.DType.ARRAY, exp.DType.LIST):
        return LIST
    return _BY_TYPE.get(kind.this, UNKNOWN) if not kind.expressions else UNKNOWN


def kind(node: exp.Expr | None) -> Kind:
    """The kind of an expression of an annotated query."""
    return _kind_of(node.type) if node is not None and node.type else UNKNOWN


def _kind_of(known: exp.DataType | exp.DType) -> Kind:
    if isinstance(known, exp.DType):
        return _BY_TYPE.get(known, UNKNOWN)
    found = known.args.get("kind")
    return found if isinstance(found, Kind) else kind_of_type(known)


def is_error(node: exp.Expr | None) -> bool:
    """Whether an expression stops the query, and so has no value."""
    return isinstance(node, exp.Anonymous) and node.name.lower() == "error"


def annotate(tree: exp.Query) -> dict[int, list[exp.Expr]]:
    """Set the kind of each expression, and return what selects return.

    The result has, by the identity of a select, its columns without stars, if they are known.
    """
    copy = tree.copy()
    nodes = list(zip(tree.walk(), copy.walk(), strict=True))
    try:
        copy = qualify_columns(
            _over_known_columns(copy), {}, expand_alias_refs=False, allow_partial_qualification=True
        )
        _Annotator(MappingSchema(dialect="duckdb"), expression_metadata=_METADATA).annotate(copy)
    except SqlglotError:  # of a query that DuckDB would refuse: nothing is known
        return {}
    for node, annotated in nodes:
        node.type = annotated.type
    return {id(node): [each.unalias() for each in annotated.expressions]
            for node, annotated in nodes if isinstance(node, exp.Select)}  # fmt: skip


def _over_known_columns(tree: exp.Query) -> exp.Query:
    """The query with selects of typed columns in the place of tables."""
    spelled = {name.name.lower(): name.name for name in tree.find_all(exp.Identifier)}
    for table in list(tree.find_all(exp.Table)):
        known: Mapping[str, Kind] = table.meta.get(COLUMNS, {})
        columns = []
        for name, its_kind in known.items():
            value = exp.Null()
            value.meta["kind"] = its_kind
            column = exp.to_identifier(spelled.get(name.lower(), name), quoted=True)
            columns.append(exp.Alias(this=value, alias=column))
        if columns:
            alias = exp.TableAlias(this=exp.to_identifier(table.alias_or_name))
            table.replace(exp.Subquery(this=exp.Select(expressions=columns), alias=alias))
    for select in tree.find_all(exp.Select):  # what sqlglot would rewrite; its kinds are asked
        asked = [part.pop() for part in map(select.args.get, ("order", "having")) if part]
        if asked:
            asked += [select.args["where"].pop()] if select.args.get("where") else []
            parts = [each for clause in asked for each in clause.expressions or [clause.this]]
            select.set("where", exp.Where(this=exp.Tuple(expressions=parts)))
    return tree


class _Annotator(TypeAnnotator):
    """sqlglot's inference with the kinds above: a value that is one of several has a common one."""

    def _maybe_coerce(self, type1: Any, type2: Any) -> Any:
        return _common(map(_kind_of, (type1, type2))).type


def _common(kinds: Iterable[Kind]) -> Kind:
    """The kind of a value that is one of several; of numbers the widest."""
    found = [each for each in kinds if each != NULL]
    names = {each.name for each in found}
    if not found or len(set(found)) == 1:
        return found[0] if found else NULL
    if names == {"integer"}:
        return WIDE
    if len(names) == 1 and names != {"decimal"} and names != {"double"}:
        return found[0]
    if "double" in names and names <= set(NUMBERS):
        is_single = found.count(SINGLE) == len(found)
        whole = all(each.is_whole for each in found)
        return SINGLE if is_single else Kind("double", 0) if whole else DOUBLE
    if "decimal" in names and names <= {"decimal", "integer"}:
        places = [0 if each.name == "integer" else each.decimals for each in found]
        known = [place for place in places if place is not None]
        return Kind("decimal", max(known) if len(known) == len(places) else None)
    return UNKNOWN


def _parts(node: exp.Expr) -> list[Kind]:
    """The kinds of what an expression is made of, apart from errors."""
    if isinstance(node, exp.Case):
        parts = [*(each.args["true"] for each in node.args["ifs"]), node.args.get("default")]
    else:
        parts = [node.this, node.args.get("expression"), *node.expressions]
    return [kind(part) for part in parts if part is not None and not is_error(part)]


def _computed(node: exp.Expr) -> Kind:
    """Of sums, differences and products; how many decimals one has, each database decides."""
    found = _common(_parts(node))
    return Kind("decimal") if found.name == "decimal" and not found.is_whole else found


def _literal(node: exp.Expr) -> Kind:
    if node.is_string:
        return TEXT
    if not node.name.replace(".", "", 1).isdecimal():  # it has an exponent
        return DOUBLE
    places = len(node.name.partition(".")[2])
    return Kind("decimal", places) if places else INTEGER


def _of_subquery(node: exp.Expr) -> Kind:
    query = node.unnest()
    selects = query.selects if isinstance(query, exp.Query) else []
    return kind(selects[0].unalias()) if selects else UNKNOWN


def _rounded_to_whole(node: exp.Expr) -> Kind:
    found = kind(node.this)
    return Kind(found.name, 0) if found.name in ("double", "decimal") else found


_BY_NAME = {"getvariable": TEXT, "nfc_normalize": TEXT, "hash": WIDE, "isfinite": BOOLEAN}

_KINDS: Mapping[Callable[[exp.Expr], Kind], tuple[type[exp.Expr], ...]] = {
    lambda node: INTEGER: (
        exp.BitwiseAnd, exp.BitwiseLeftShift, exp.Count, exp.GenerateSeries, exp.IntDiv,
    ),
    lambda node: DOUBLE: (exp.Div,),
    lambda node: TEXT: (
        exp.Collate, exp.Left, exp.RegexpExtract, exp.RegexpReplace, exp.Replace, exp.Split,
        exp.SplitPart,
    ),
    lambda node: LIST: (exp.ArrayAgg,),
    lambda node: kind(node.this): (
        exp.Abs, exp.Alias, exp.ApproxQuantile, exp.Distinct, exp.Explode, exp.Filter, exp.Lag,
        exp.Lead, exp.Max, exp.Min, exp.Neg, exp.Order, exp.Ordered, exp.Paren,
        exp.PercentileDisc, exp.Window,
    ),
    lambda node: _common(_parts(node)): (
        exp.Case, exp.Coalesce, exp.Greatest, exp.Least, exp.Nullif,
    ),
    lambda node: kind_of_type(node.args["to"]): (exp.Cast, exp.TryCast),
    lambda node: node.meta.get("kind", NULL): (exp.Null,),
    _computed: (exp.Add, exp.Sub, exp.Mul, exp.Mod),
    _rounded_to_whole: (exp.Ceil, exp.Floor),
    _literal: (exp.Literal,), _of_subquery: (exp.Subquery,),
    lambda node: WIDE if kind(node.this) == INTEGER else kind(node.this): (exp.Sum,),
    lambda node: Kind("decimal") if kind(node.this).name == "decimal" else kind(node.this): (
        exp.Round,
    ),
    lambda node: _BY_NAME.get(node.name.lower(), UNKNOWN): (exp.Anonymous,),
}  # fmt: skip
"""The kinds of expressions that sqlglot does not know, or that follow from those of the parts."""


def _setter(kind_of: Callable[[exp.Expr], Kind]) -> Callable[[Any, exp.Expr], None]:
    return lambda annotator, node: annotator._set_type(node, kind_of(node).type)


_METADATA: dict[type[exp.Expr], dict[str, Any]] = {
    **{each: known for each, known in DuckDB.EXPRESSION_METADATA.items() if "returns" in known},
    **{each: {"returns": BOOLEAN.type} for each in DuckDB.EXPRESSION_METADATA
       if issubclass(each, exp.Predicate | exp.Connector | exp.Not)},
    **{each: {"annotator": _setter(kind_of)} for kind_of, types in _KINDS.items()
       for each in types},
}  # fmt: skip
"""What sqlglot knows of functions that return one type, and what is said above."""
