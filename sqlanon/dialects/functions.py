"""How each dialect writes the functions that sqlanon uses; a function without a row is refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from sqlanon.dialects.dialect import Dialect, Family, does_not_carry_over
from sqlanon.dialects.layout import LINE, SOFT, Doc, Group, Nest, call

Written = Callable[..., Doc]
"""Writes a function of written arguments."""


def _named(name: str) -> Written:
    return lambda *arguments: call(name, *arguments)


def _of_executed(name: str) -> Mapping[str, Written]:
    """A function that has this name in the dialects that tests execute."""
    return dict.fromkeys(("duckdb", "postgres", "spark"), _named(name))


def _everywhere(name: str, **others: Written) -> Mapping[str, Written]:
    """A function that has this name, and other texts in some dialects."""
    families = ("duckdb", "postgres", "spark", "bigquery", "snowflake", "trino")
    return {family: others.get(family, _named(name)) for family in families}


def cast(value: Doc, kind: str) -> Doc:
    """A cast."""
    return Group(("cast(", Nest((SOFT, value, " as ", kind)), SOFT, ")"))


def _infix(operator: str) -> Written:
    return lambda left, right: (left, LINE, f"{operator} ", right)


def _part(unit: str, kind: str = "") -> Written:
    def write(value: Doc) -> Doc:
        found = Group((f"extract({unit} from ", value, ")"))
        return cast(found, kind) if kind else found

    return write


def _period(name: str) -> Mapping[str, Written]:
    return _everywhere(name, postgres=_part(name, "bigint"), bigquery=_part(name))


def _percentile(value: Doc, share: Doc) -> Doc:
    return (call("percentile_disc", share), " within group (order by ", value, ")")


def _string_agg(value: Doc, separator: Doc, keys: Doc) -> Doc:
    return call("string_agg", value, (separator, " order by ", keys))


def _of_infinity(operator: str) -> Mapping[str, Written]:
    """Compares with infinity, than which not a number is greater; NaN is no less and not equal."""

    def written(kind: str) -> Written:
        return lambda value: (call("abs", value), f" {operator} cast('infinity' as {kind})")

    return {"postgres": written("double precision"), "spark": written("double")}


def _of_double(name: str) -> Written:
    """Rounds only what can have a fraction: the result is a whole number of 64 bits."""

    def write(value: Doc) -> Doc:
        rounded = cast(call(name, value), "double")
        beyond = Group(("when ", call("abs", value), " < 9007199254740992"))
        inner = Nest((LINE, beyond, Nest((LINE, "then ", rounded)), LINE, "else ", value))
        return Group(("case", inner, LINE, "end"))

    return write


def _replaced(value: Doc, *pairs: tuple[str, str], by: str = "replace") -> Doc:
    for old, new in pairs:
        value = call(by, value, f"'{old}'", f"'{new}'")
    return value


def _double_of_postgres(value: Doc) -> Doc:
    """A double as DuckDB writes it: with a point, and up to 16 digits before it."""
    digits = cast(value, "text")
    long = cast(cast(digits, "numeric"), "text")
    size = call("abs", value)
    limits = Group(("when ", size, " >= 1e15", LINE, "and ", size, " < 1e16"))
    shown = Group((
        "case", Nest((LINE, limits, Nest((LINE, "then ", long)), LINE, "else ", digits)), LINE,
        "end",
    ))  # fmt: skip
    pointed = _replaced(shown, ("^(-?[0-9]+)$", "\\1.0"), by="regexp_replace")
    return _replaced(pointed, ("Infinity", "inf"), ("NaN", "nan"))


def _double_of_spark(value: Doc) -> Doc:
    """A double as DuckDB writes it: with up to 16 digits before the point, or an exponent."""
    digits = cast(value, "string")
    long = _replaced(
        cast(cast(digits, "decimal(38, 20)"), "string"), ("0+$", ""), ("[.]$", ".0"),
        by="regexp_replace",
    )  # fmt: skip
    short = _replaced(
        _replaced(digits, ("Infinity", "inf"), ("NaN", "nan"), (".0E", "E")),
        ("E([0-9])", "e+$1"), ("E-", "e-"), ("e([+-])([0-9])$", "e$10$2"), by="regexp_replace",
    )  # fmt: skip
    size = call("abs", value)
    limits = Group((
        "when ", Nest((size, " >= 1e7 and ", size, " < 1e16", LINE, "or ", size, " >= 1e-4 and ",
                       size, " < 1e-3")),
    ))  # fmt: skip
    return Group((
        "case", Nest((LINE, limits, Nest((LINE, "then ", long)), LINE, "else ", short)), LINE, "end"
    ))  # fmt: skip


FUNCTIONS: Mapping[str, Mapping[str, Written]] = {
    "abs": _everywhere("abs"),
    "avg": _everywhere("avg"),
    "bitand": dict.fromkeys(("duckdb", "postgres", "spark"), _infix("&")),
    "bool_and": _everywhere(
        "bool_and", bigquery=_named("logical_and"), snowflake=_named("booland_agg")
    ),
    "bool_or": _everywhere(
        "bool_or", bigquery=_named("logical_or"), snowflake=_named("boolor_agg")
    ),
    "ceil": _everywhere("ceil"),
    "ceil of double": {"spark": _of_double("ceil")},
    "coalesce": _everywhere("coalesce"),
    "concat": {
        "duckdb": _named("concat"),
        "postgres": _named("concat"),
        "spark": lambda *values: call("concat_ws", "''", *values),
    },
    "concat_ws": _of_executed("concat_ws"),
    "count": _everywhere("count"),
    "dense_rank": _everywhere("dense_rank"),
    "digits": {
        "duckdb": lambda digits: cast(("'0x' || ", digits), "bigint"),
        "postgres": lambda digits: cast(cast(("'x0' || ", digits), "bit(64)"), "bigint"),
        "spark": lambda digits: cast(call("conv", digits, "16", "10"), "bigint"),
    },
    "epoch": {
        "duckdb": _named("epoch"),
        "postgres": lambda value: cast(_part("epoch")(value), "double precision"),
        "spark": lambda value: Group((
            "(", call("timestampdiff", "microsecond", "timestamp_ntz'1970-01-01'", value),
            " / 1000000)",
        )),
    },
    "exp": _everywhere("exp"),
    "floor": _everywhere("floor"),
    "floor of double": {"spark": _of_double("floor")},
    "greatest": _everywhere("greatest"),
    "hash": {
        "duckdb": _named("hash"),
        "postgres": lambda *values: call("hash_record_extended", call("row", *values), "0"),
        "spark": lambda *values: cast(call("xxhash64", *values), "decimal(20, 0)"),  # to be summed
    },
    "intdiv": {
        "duckdb": _infix("//"),
        "postgres": _infix("/"),  # of whole numbers
        "spark": _infix("div"),
        "bigquery": _named("div"),
        "snowflake": lambda left, right: cast(
            call("trunc", (left, LINE, "/ ", right)), "bigint"
        ),
        "trino": _infix("/"),
    },
    "intdiv_wide": {
        "postgres": lambda left, right: cast(call("div", left, right), "bigint"),
    },
    "isfinite of double": {"duckdb": _named("isfinite"), **_of_infinity("<")},
    "isfinite of timestamp": {
        "duckdb": _named("isfinite"),
        "postgres": _named("isfinite"),
        "spark": lambda value: Group(("case when ", value, " is not null then true end")),
    },
    "isinf": {"duckdb": _named("isinf"), **_of_infinity("=")},
    "isnan": _everywhere("isnan",
        postgres=lambda value: (value, " = cast('NaN' as double precision)"),
        bigquery=_named("is_nan"),
        snowflake=lambda value: (value, " = cast('NaN' as double)"),
        trino=_named("is_nan"),
    ),
    "lag": _everywhere("lag"),
    "lead": _everywhere("lead"),
    "least": _everywhere("least"),
    "left": _of_executed("left"),
    "length": _everywhere("length"),
    "ln": _everywhere("ln"),
    "log": _everywhere(
        "log",
        postgres=lambda base, value: Group(
            ("(", Nest((SOFT, call("ln", value), LINE, "/ ", call("ln", base))), SOFT, ")")
        ),
        bigquery=lambda base, value: call("log", value, base),
    ),
    "max": _everywhere("max"),
    "md5": _of_executed("md5"),
    "min": _everywhere("min"),
    "mod": _everywhere("%", **dict.fromkeys(
        ("duckdb", "postgres", "spark", "snowflake", "trino"), _infix("%")
    ), bigquery=_named("mod")),
    "month": _period("month"),
    "day": _period("day"),
    "nullif": _everywhere("nullif"),
    "numbers": {
        "duckdb": lambda count: call("unnest", call("range", count)),
        "postgres": lambda count: call("generate_series", "0", (count, " - 1")),
        "spark": lambda count: call("explode", Group((
            "case", Nest((LINE, "when ", count, " > 0", Nest((LINE, "then ", call(
                "sequence", cast("0", "bigint"), cast((count, " - 1"), "bigint")
            ))))), LINE, "end",
        ))),
    },
    "pow": _everywhere("pow", postgres=_named("power"), bigquery=_named("power")),
    "parts": {
        "duckdb": lambda value: call("unnest", call("string_split", value, "','")),
        "postgres": lambda value: call("regexp_split_to_table", value, "','"),
    },
    "quarter": _period("quarter"),
    "quantile_disc": {
        "duckdb": _named("quantile_disc"),
        **dict.fromkeys(("postgres", "spark"), _percentile),
    },
    "repeat": _everywhere("repeat", trino=lambda value, count: call("rpad", "''", count, value)),
    "round": _everywhere("round"),
    "row_number": _everywhere("row_number"),
    "secret": {
        "duckdb": lambda name: call("getvariable", f"'{name}'"),
        "postgres": lambda name: call("current_setting", f"'{name.replace('_', '.', 1)}'"),
        "spark": lambda name: f"system.session.{name}",
    },
    "sqrt": _everywhere("sqrt"),
    "split_part": _of_executed("split_part"),
    "starts_with": {**_of_executed("starts_with"), "spark": _named("startswith")},
    "string_agg": {
        "duckdb": _string_agg,
        "postgres": _string_agg,
        "spark": lambda value, separator, keys: (
            call("listagg", value, separator), " within group (order by ", keys, ")",
        ),
    },
    "strpos": {
        "duckdb": _named("strpos"), "postgres": _named("strpos"), "spark": _named("instr"),
    },
    "shift": dict.fromkeys(("duckdb", "postgres", "spark"), _infix("<<")),
    "substring": _everywhere("substring"),
    "sha256": {
        "duckdb": _named("sha256"),
        "postgres": lambda value: call(
            "encode", call("sha256", call("convert_to", value, "'UTF8'")), "'hex'"
        ),
        "spark": lambda value: call("sha2", value, "256"),
    },
    "sum": _everywhere("sum"),
    "text of double": {"postgres": _double_of_postgres, "spark": _double_of_spark},
    "text of timestamp": {
        # without the zeros at the end of the fraction
        "postgres": lambda value: call("rtrim", call("rtrim", call(
            "to_char", value, "'YYYY-MM-DD HH24:MI:SS.US'"
        ), "'0'"), "'.'"),
        "spark": lambda value: cast(value, "string"),
    },
    "year": _period("year"),
    "error": {
        "duckdb": _named("error"),
        # a cast of a constant would be tried before the query runs
        "postgres": lambda message: (
            "cast(cast(", message, " || left(cast(random() as text), 0) as integer) as text)",
        ),
        "spark": _named("raise_error"),
        "bigquery": _named("error"),
        "trino": _named("fail"),
    },
    "matches": {
        "postgres": _infix("~"),
        "spark": _infix("rlike"),
        "bigquery": _named("regexp_contains"),
        "snowflake": _named("regexp_like"),
        "trino": _named("regexp_like"),
    },
}  # fmt: skip
"""By the name in DuckDB's dialect and by family. `matches` compares with a regular expression,
`secret` reads a session variable, `digits` are hexadecimal and 15, `numbers` are rows from 0, and
`hash` is compared with no hash of another database."""


def function(name: str, dialect: Dialect, *arguments: Doc) -> Doc:
    """A call of a function.

    Raises:
        PlanError: the dialect has no such function.
    """
    written = FUNCTIONS.get(name, {}).get(dialect.family)
    if written is None:
        raise does_not_carry_over(f"the function {name}", dialect)
    return written(*arguments)


_FORMATS: Mapping[Family, Mapping[str, str]] = {
    "duckdb": {"%Y": "%Y", "%m": "%m", "%d": "%d", "%G-W%V": "%G-W%V"},
    "postgres": {"%Y": "YYYY", "%m": "MM", "%d": "DD", "%G-W%V": 'IYYY-"W"IW'},
    "spark": {"%Y": "yyyy", "%m": "MM", "%d": "dd"},
    "bigquery": {"%Y": "%E4Y", "%m": "%m", "%d": "%d", "%G-W%V": "%G-W%V"},
    "snowflake": {"%Y": "YYYY", "%m": "MM", "%d": "DD"},
    "trino": {"%Y": "%Y", "%m": "%m", "%d": "%d", "%G-W%V": "%x-W%v"},
}
"""What stands for a part of a date."""

_FORMATTED: Mapping[Family, Written] = {
    "duckdb": lambda value, text: call("strftime", value, text),
    "postgres": _named("to_char"),
    "spark": _named("date_format"),
    "bigquery": lambda value, text: call("format_datetime", text, cast(value, "datetime")),
    "snowflake": _named("to_char"),
    "trino": _named("date_format"),
}
_WEEKS: Mapping[Family, tuple[Written, Written]] = {
    "spark": (_part("yearofweek"), _named("weekofyear")),
    "snowflake": (_named("yearofweekiso"), _named("weekiso")),
}
"""The year and the number of a week, where no format has them."""


def formatted(value: Doc, pattern: str, dialect: Dialect) -> Doc:
    """A date or a timestamp as text, by a pattern of DuckDB's `strftime`.

    Raises:
        PlanError: the pattern has a part that not all dialects write alike.
    """
    if pattern == "%G-W%V" and dialect.family in _WEEKS:
        year, week = (written(value) for written in _WEEKS[dialect.family])
        text = dialect.types["text"]
        return Group((
            "(", Nest((SOFT, call("lpad", cast(year, text), "4", "'0'"), LINE, "|| '-W'", LINE,
                       "|| ", call("lpad", cast(week, text), "2", "'0'"))), SOFT, ")",
        ))  # fmt: skip
    known = _FORMATS[dialect.family]
    parts = re.split(r"(%G-W%V|%.)", pattern)
    if not all(known.get(p, "") if n % 2 else re.fullmatch(r"[-/. ]*", p)
               for n, p in enumerate(parts)):  # fmt: skip
        raise does_not_carry_over("the format of a date", dialect, "use %Y, %m, %d or %G-W%V")
    pattern = "".join(known.get(part, part) for part in parts)
    return _FORMATTED[dialect.family](value, dialect.literal(pattern))
