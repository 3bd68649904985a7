"""Rules on the expressions of a query: what databases understand otherwise than DuckDB does.

A rule reads the kinds of an expression and of its parts, and refuses it, changes it, or leaves it
to sqlglot's generator. It sees the parts as DuckDB's query has them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from sqlglot import exp

from sqlanon.boundary.secrets import SHORTEST
from sqlanon.dialects.allowed import check_condition, is_at_least
from sqlanon.dialects.dialect import EXECUTED, Dialect, does_not_carry_over
from sqlanon.dialects.generators import CONDITIONS, raw, text, type_name
from sqlanon.dialects.kinds import (
    DOUBLE,
    INTEGER,
    NULL,
    NUMBERS,
    TEXT,
    UNKNOWN,
    WIDE,
    is_error,
    kind,
    kind_of_type,
)  # fmt: skip
from sqlanon.dialects.texts import (
    AS_TEXT,
    composable,
    formatted,
    literal_text,
    pattern,
    spelled,
)
from sqlanon.errors import PlanError

_NUMBER = r"^\s*[+-]?([0-9][0-9_]*[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?\s*$"
_DATE = r"^[0-9]{4}[-/][0-9]{1,2}[-/][0-9]{1,2}([ T].*)?$"
_DOUBLE = _NUMBER.replace(r")([eE]", r"|[iI][nN][fF]([iI][nN][iI][tT][yY])?|[nN][aA][nN])([eE]")
_READABLE: Mapping[str, str] = {
    "integer": _NUMBER, "decimal": _NUMBER, "double": _DOUBLE, "date": _DATE, "timestamp": _DATE,
}  # fmt: skip
"""What a text looks like that DuckDB reads as such a kind. What looks so and is none stops the
other database, where DuckDB finds no value; what does not look so has no value in either."""

_WIDER: Mapping[str, Sequence[str]] = {
    "integer": NUMBERS, "decimal": ("decimal", "double"), "double": ("double",),
    "date": ("date", "timestamp"), "timestamp": ("timestamp",),
}  # fmt: skip
"""Kinds as which all values of a kind can be read; one that is too large stops the database."""

_LOOSE = (exp.DPipe, exp.BitwiseAnd, exp.BitwiseLeftShift)
"""Operators that bind closer in some databases than in others."""


def rewrite(tree: exp.Query, dialect: Dialect) -> None:
    """Change what the dialect would understand otherwise, or refuse it."""
    rules = _Rules(dialect)
    for node in list(tree.walk()):
        check_condition(node, dialect)
        if isinstance(node, exp.Binary):
            _bracket(node)
        rule = _RULES.get(type(node))
        if rule is not None:
            rule(rules, node)


def _bracket(node: exp.Binary) -> None:
    """Put sides in brackets where databases differ in what binds closer."""
    for part in ("this", "expression"):
        side = node.args[part]
        mixes = isinstance(side, exp.Binary) and isinstance(side, _LOOSE) | isinstance(node, _LOOSE)
        if mixes and type(side) is not type(node) and not isinstance(node, exp.Predicate):
            node.set(part, exp.Paren(this=side))
            node.args[part].type = side.type


class _Rules:
    """The rules of a dialect."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect, self.family, self.types = dialect, dialect.family, dialect.types

    def refusal(self, what: str, fix: str = "") -> PlanError:
        """The error for what does not carry over."""
        return does_not_carry_over(what, self.dialect, fix)

    def wrap(self, node: exp.Expr, template: str, *others: exp.Expr) -> None:
        """Put SQL around an expression, where it stands."""
        parent, key, index = node.parent, node.arg_key, node.index
        assert parent is not None
        parent.set(str(key), text(template, node, *others), index=index)

    def stop(self, message: str) -> str:
        """SQL that stops the query, and has a text's type."""
        if self.family == "snowflake":
            raise self.refusal("the function error")
        if self.family == "postgres":  # a cast of a constant would be tried before the query runs
            return f"cast(cast({message} || left(cast(random() as text), 0) as integer) as text)"
        return f"{ {'spark': 'raise_error', 'trino': 'fail'}.get(self.family, 'error') }({message})"

    def matches(self, pattern: str) -> str:
        """SQL that compares `{0}` with a regular expression."""
        name = {"postgres": "~", "spark": "rlike", "bigquery": "regexp_contains"}.get(self.family)
        if name in ("~", "rlike"):
            return f"{{0}} {name} {pattern}"
        return f"{name or 'regexp_like'}({{0}}, {pattern})"

    def in_order(self, node: exp.Expr) -> None:
        """Have values compared or ordered as DuckDB does: texts by their code points."""
        if self.family != "postgres":
            return
        if kind(node) == UNKNOWN:
            raise self.refusal(
                "an order of values whose type is not known", "name the column's type"
            )
        if kind(node) == TEXT:
            is_atom = not isinstance(node, exp.Binary)
            self.wrap(node, '{0} collate "C"' if is_atom else '({0}) collate "C"')

    def as_text(self, node: exp.Expr) -> None:
        """Have a value as text, of the same letters as in DuckDB."""
        found, plain = kind(node), f"cast({{0}} as {self.types['text']})"
        if found in (TEXT, NULL):
            return
        if self.family == "duckdb" or found.name in ("integer", "boolean"):
            self.wrap(node, plain)
        elif found.name == "date":
            self.wrap(node, formatted("%Y-%m-%d", self.dialect))
        elif (found.name, self.family) in AS_TEXT and found.decimals != 7:
            self.wrap(node, AS_TEXT[found.name, self.family])
        elif found.name == "decimal" and found.decimals is not None:
            if self.family == "bigquery":  # which writes no zeros at the end
                plain = f"format('%.{found.decimals}f', {{0}})"
            elif not isinstance(node.unnest(), exp.Cast | exp.Column):
                digits = f"cast({{0}} as {self.types['decimal']}(38, {found.decimals}))"
                plain = plain.replace("{0}", digits)
            self.wrap(node, plain)
        else:
            what = f"a {found.name} as text" if found.name else (
                "a value as text whose type is not known"
            )  # fmt: skip
            raise self.refusal(what, "give its column as text, or name its type")

    def as_double(self, node: exp.Expr) -> None:
        """Have a number as a double, so that no decimal digits decide the result."""
        if kind(node).name != "double":
            self.wrap(node, f"cast({{0}} as {self.types['double']})")

    # --- numbers

    def literal(self, node: exp.Expr) -> None:
        if node.is_string or node.name.isdecimal():
            return
        places = len(node.name.partition(".")[2])
        if not node.name.replace(".", "", 1).isdecimal():  # it has an exponent
            node.replace(raw(f"cast('{node.name}' as {self.types['double']})"))
        elif self.family == "bigquery":  # else it would be a double
            node.replace(raw(f"{'numeric' if places <= 9 else 'bignumeric'} '{node.name}'"))

    def divided(self, node: exp.Expr) -> None:
        if kind(node.expression).name != "double":
            self.as_double(node.this)
        node.replace(text("{0} / {1}", node.this, node.expression))

    def of_doubles(self, node: exp.Expr) -> None:
        for part in (node.this, node.args.get("expression")):
            if part is not None:
                self.as_double(part)

    def divided_whole(self, node: exp.Expr) -> None:
        around = node.parent
        if isinstance(around, exp.Cast) and kind_of_type(around.args["to"]).is_wide:
            self.divided_wide(node)
        elif self.family == "postgres":
            is_wide = WIDE in (kind(node.this), kind(node.expression))
            template = "cast(div({0}, {1}) as bigint)" if is_wide else "{0} / {1}"
            node.replace(text(template, node.this, node.expression))

    def divided_wide(self, node: exp.Expr) -> None:
        """The quotient of whole numbers of more than 64 bits, to be cast to one of them."""
        if self.family not in EXECUTED:
            raise self.refusal("a quotient of more than 64 bits")
        if self.family != "duckdb":  # Spark's quotients have 6 digits after the point
            is_postgres = self.family == "postgres"
            template = "div({0}, {1})" if is_postgres else "({0} - {0} % {1}) / {1}"
            node.replace(text(template, node.this, node.expression))

    def to_whole(self, node: exp.Expr) -> None:
        if kind(node.this).name == "double" and self.family == "spark":  # 64 bits are its result
            node.replace(text(
                "case when abs({0}) < 9007199254740992"
                f" then cast({node.key}({{0}}) as double) else {{0}} end", node.this
            ))  # fmt: skip

    def shifted(self, node: exp.Expr) -> None:
        """Bits of numbers of 64 bits: of 32, databases would lose some."""
        for side, name in ((node.this, "bigint"), (node.expression, "integer")):
            inner = side.unnest()
            is_cast = isinstance(inner, exp.Cast) and (
                type_name(inner.to, self.dialect) == self.types[name]
            )
            if not is_cast and not (isinstance(inner, exp.Literal) and name == "integer"):
                self.wrap(side, f"cast({{0}} as {self.types[name]})")

    def greatest_or_least(self, node: exp.Expr) -> None:
        """The greatest or the least; a NULL is left out, as by DuckDB."""
        node.set("ignore_nulls", self.family == "duckdb")
        parts = [node.this, *node.expressions]
        for part in parts:
            if kind(part) == TEXT:
                self.in_order(part)
        if not self.dialect.ignores_nulls and len(parts) > 1:
            if len(parts) > 2:
                raise self.refusal("the greatest of more than two values")
            node.replace(text(f"coalesce({node.key}({{0}}, {{1}}), {{0}}, {{1}})", *parts))

    def estimated(self, node: exp.Expr) -> None:
        """A count of different values or a quantile: what DuckDB estimates, others count."""
        is_count = isinstance(node, exp.ApproxDistinct)
        if self.family == "duckdb" or not (is_count or self.family in EXECUTED):
            raise self.refusal("an estimate")
        quantile = "percentile_disc({1}) within group (order by {0})"
        template = "count(distinct {0})" if is_count else quantile
        node.replace(text(template, node.this, *([] if is_count else [node.args["quantile"]])))

    # --- casts

    def cast(self, node: exp.Expr) -> None:
        to, inner = kind_of_type(node.args["to"]), node.this.unnest()
        found, digits = kind(inner), inner.args.get("expression")
        is_hex = isinstance(inner, exp.DPipe) and inner.this == exp.Literal.string("0x")
        if is_hex and isinstance(digits, exp.Substring) and digits.text("length") == "15":
            template = {
                "duckdb": "'0x' || {0}", "spark": "conv({0}, 16, 10)",
                "postgres": "cast(cast('x0' || {0} as bit(64)) as bigint)",
            }.get(self.family)  # fmt: skip
            if template is None:
                raise self.refusal("the digits of a digest")
            node.set("this", text(template, digits))  # 15 of them fit a signed number of 64 bits
        elif to == TEXT and found != TEXT:
            self.as_text(node.this)
            node.replace(node.this)
        elif to.name == "integer" and not (
            _is_counted(inner) or (to, found.name) == (WIDE, "decimal")
        ):
            raise self.refusal("a number that is cast to a whole one")
        elif to.name == "double" and inner.is_string:
            if inner.name.lower() not in ("infinity", "nan"):
                raise self.refusal("a text that is cast to a number")
            infinity = {"snowflake": "inf", "trino": "Infinity"}.get(self.family, "infinity")
            spelling = "NaN" if inner.name.lower() == "nan" else infinity
            inner.replace(exp.Literal.string(spelling))
        elif to == DOUBLE and found == TEXT and self.family in ("postgres", "spark"):
            double = self.types["double"]
            stop = self.stop("'sqlanon: a text is no number'")  # by DuckDB's rules
            node.replace(text(
                f"case when {{0}} is null or {self.matches('{1}')} then cast({{0}} as {double})"
                f" else cast({stop} as {double}) end", node.this, exp.Literal.string(_DOUBLE),
            ))  # fmt: skip
        elif (found.name, to.name) in (("text", "double"), ("double", "decimal")):
            raise self.refusal(f"a {found.name} that is cast to a {to.name}")

    def tried(self, node: exp.Expr) -> None:
        to, found = kind_of_type(node.args["to"]), kind(node.this)
        if self.family == "duckdb":
            return
        if to.name in _WIDER.get(found.name, ()):
            node.replace(exp.Cast(this=node.this, to=node.args["to"]))
            return
        if to.name not in _READABLE or found not in (TEXT, UNKNOWN):
            raise self.refusal("a cast that is only tried")
        made = type_name(node.args["to"], self.dialect)
        template = f"case when {self.matches('{1}')} then cast({{0}} as {made}) end"
        node.replace(text(template, node.this, exp.Literal.string(_READABLE[to.name])))

    # --- orders and comparisons

    def compared(self, node: exp.Expr) -> None:
        parts = ("this", "expression", "low", "high")
        sides = [node.args[part] for part in parts if part in node.args]
        if TEXT in map(kind, sides):
            for side in sides[:2]:
                self.in_order(side)

    def collated(self, node: exp.Expr) -> None:
        if self.family != "duckdb":  # in an order it gets the collation again
            node.replace(node.this)

    def null_safe_equal(self, node: exp.Expr) -> None:
        """Values are equal or NULL, in a form that PostgreSQL can hash in a join."""
        around = node.find_ancestor(exp.Join, exp.Select)
        joins = isinstance(around, exp.Join) or isinstance(around and around.parent, exp.Exists)
        if self.family != "postgres" or not joins:
            return
        sides = [node.this, node.expression]
        for side in sides:  # lists of whole numbers of two widths have no `=`
            if any(kind(each).is_wide for each in sides):
                self.wrap(side, "cast({0} as numeric(38, 0))")
            elif kind(side).name == "integer" and not isinstance(side, exp.Cast):
                self.wrap(side, "cast({0} as bigint)")
        node.replace(text("array[{0}] = array[{1}]", node.this, node.expression))

    # --- aggregates

    def summed(self, node: exp.Expr) -> None:
        """A sum; the order of doubles decides its last digits."""
        if not isinstance(node.this, exp.Order):
            return
        if kind(node.this).name in ("integer", "decimal"):
            node.set("this", node.this.this)
        elif self.family == "spark":
            added = "(total, each) -> coalesce(total + each.value, total, each.value)"
            self.sort_structs(node, f"aggregate({{0}}, cast(null as double), {added})")
        elif self.family not in EXECUTED:
            raise self.refusal("an aggregate that reads in an order")

    def listed(self, node: exp.Expr) -> None:
        """A list of all values, in an order, with those that are missing."""
        if self.family == "spark":
            self.sort_structs(node, "transform({0}, each -> each.value)")

    def sort_structs(self, node: exp.Expr, around: str) -> None:
        """For Spark, whose aggregates have no order: a sorted array of keys and values."""
        keys = node.this.expressions
        directions = {bool(key.args.get("desc")) for key in keys}
        if len(directions) != 1:
            raise self.refusal("an order up and down")
        descends, parts = directions.pop(), []
        for place, key in enumerate(keys):
            last = bool(key.args.get("nulls_first")) == descends  # in the order before a reversal
            tested = f"({{{place}}})" if isinstance(key.this, CONDITIONS) else f"{{{place}}}"
            parts += [f"{tested} is {'' if last else 'not '}null", f"{{{place}}}"]
        found = f"array_sort(collect_list(struct({', '.join(parts)}, {{{len(keys)}}} as value)))"
        template = around.replace("{0}", f"reverse({found})" if descends else found)
        node.replace(text(template, *(key.this for key in keys), node.this.this))

    def filtered(self, node: exp.Expr) -> None:
        aggregate, condition = node.this, node.expression.this
        if self.dialect.has_filter:
            return
        if isinstance(aggregate.this, exp.Distinct | exp.Order):
            raise self.refusal("a filtered aggregate of this kind")
        value = raw("1") if isinstance(aggregate.this, exp.Star) else aggregate.this
        aggregate.set("this", text("case when {0} then {1} end", condition, value))
        node.replace(aggregate)

    # --- texts

    def joined(self, node: exp.Expr) -> None:
        """What texts are made of as text."""
        parts = node.expressions or [node.this, node.args.get("expression")]
        if isinstance(node, exp.GroupConcat):
            parts = [node.this.this]
        for part in list(parts):
            if not isinstance(part.unnest(), exp.DPipe):
                self.as_text(part)

    def regular_expression(self, node: exp.Expr) -> None:
        """A part of a text that a regular expression describes."""
        literals = spelled(node, self.dialect)
        node.set("expression", exp.Literal.string(pattern(literals["expression"], self.dialect)))
        if isinstance(node, exp.RegexpLike):
            self.wrap(node, "({0})")
        elif isinstance(node, exp.RegexpExtract):
            if not re.fullmatch(r"\^\[[^\]]+\]\*", literals["expression"]):  # which there always is
                raise self.refusal("a part of a text of this kind")
        else:
            is_one = literals["expression"].startswith("^") or literals["expression"].endswith("$")
            modifiers, by = node.text("modifiers"), literals["replacement"]
            if not (modifiers == "g" or (is_one and not modifiers)) or by not in ("\\1", " ", ""):
                raise self.refusal("a replacement of this kind")
            if self.family == "spark":  # which always replaces all
                node.set("modifiers", None)
                node.set("replacement", exp.Literal.string(by.replace("\\1", "$1")))

    def settle(self, node: exp.Expr) -> None:
        literals = spelled(node, self.dialect)
        if isinstance(node, exp.Translate) and len(literals["from_"]) != len(literals["to"]):
            raise self.refusal("letters without another in their place")
        if isinstance(node.this, exp.Explode) and self.family == "spark":  # of `trim`: before rows
            letters = self.dialect.literal(literals["expression"])
            self.wrap_parts(node, node.this, f"trim(both {letters} from each)")

    def replaced_parts(self, node: exp.Expr) -> None:
        """Parts of a text, in their place other texts, one replacement after the other."""
        pairs: list[str] = []
        inner = node
        while isinstance(inner, exp.Replace):
            literals = map(self.dialect.literal, spelled(inner, self.dialect).values())
            pairs.insert(0, ", ".join(literals))
            inner = inner.this
        if kind(inner) != TEXT:
            raise self.refusal("letters of what is no text")
        if not isinstance(node.parent, exp.Replace):  # the first of several
            replaced = raw("),\n    ".join(pairs)).this
            node.replace(text(f"{'replace(' * len(pairs)}{{0}},\n    {replaced})", inner))

    def lowered(self, node: exp.Expr) -> None:
        """A text in lower case, letter by letter: only of two letters it is otherwise in words."""
        if self.family != "duckdb":
            order = ' collate "und-x-icu"' if self.family == "postgres" else ""
            self.wrap(node.this, f"translate({{0}}, '\u0130\u03a3', 'i\u03c3'){order}")

    def substring(self, node: exp.Expr) -> None:
        start, length = node.args["start"], node.args.get("length")
        if length is not None and not is_at_least(0, length):
            if start.name != "1":
                raise self.refusal("a substring of a length that can be below 0")
            self.wrap(length, "greatest({0}, 0)")
        if not isinstance(start, exp.Literal):
            self.wrap(start, f"cast({{0}} as {self.types['integer']})")

    def formatted(self, node: exp.Expr) -> None:
        node.replace(text(formatted(node.args["format"].name, self.dialect), node.this))

    def character(self, node: exp.Expr) -> None:
        letter = literal_text(node, self.dialect)
        is_counted = self.family == "spark" and ord(letter) > 127  # modulo 256
        node.replace(raw(f"decode(unhex('{letter.encode().hex()}'), 'utf-8')" if is_counted
                         else f"chr({ord(letter)})"))  # fmt: skip

    # --- rows of lists

    def rows(self, node: exp.Expr) -> None:
        """A row for each number, or each in steps, from 0; or for each part between commas."""
        series = node.this
        if isinstance(series, exp.Split) and isinstance(node.parent, exp.Alias | exp.Trim):
            if not (self.family == "spark" and isinstance(node.parent, exp.Trim)):  # see `settle`
                self.wrap_parts(node, node, "each")
            return
        is_series = isinstance(series, exp.GenerateSeries) and series.text("start") == "0"
        is_open = is_series and series.args.get("is_end_exclusive")
        by = series.args.get("step")
        is_by_number = by is None or (isinstance(by, exp.Literal) and by.is_int and by.name != "0")
        if not (is_open and is_by_number and isinstance(node.parent, exp.Alias)):
            raise self.refusal("a list as rows")
        if self.family != "duckdb":
            step = f", {by.name}" if by is not None else ""
            template = f"generate_series(0, {{0}} - 1{step})"
            if self.family == "spark":
                step = step and f"{step}L"
                template = f"sequence(cast(0 as bigint), cast({{0}} - 1 as bigint){step})"
                template = f"explode(case when {{0}} > 0 then {template} end)"
            node.replace(text(template, series.args["end"]))

    def wrap_parts(self, node: exp.Expr, unnest: exp.Expr, of_each: str) -> None:
        """Put the parts of a text, each changed, in the place of a node."""
        split = unnest.this
        if literal_text(split.expression, self.dialect) != ",":
            raise self.refusal("a list as rows")
        template = {
            "duckdb": "unnest(string_split({0}, ','))",
            "postgres": "regexp_split_to_table({0}, ',')",
            "spark": f"explode(transform(split({{0}}, ','), each -> {of_each}))",
        }[self.family]
        node.replace(text(template, split.this))

    def composed(self, node: exp.Expr) -> None:
        """A text of composed letters (NFC)."""
        (value,) = node.expressions
        if self.family not in EXECUTED or kind(value) != TEXT:
            raise self.refusal("a text that is changed letter by letter")
        if self.family == "postgres":
            node.replace(text("normalize({0}, nfc)", value))
        elif self.family == "spark":
            stop = self.stop(
                "'sqlanon: Spark cannot compose letters; have the search run in the driver'"
            )
            template = f"case when {{0}} rlike {{1}} then {stop} else {{0}} end"
            node.replace(text(template, value, exp.Literal.string(composable(self.dialect))))

    # --- functions that sqlglot has no class for

    def other(self, node: exp.Expr) -> None:
        _FUNCTIONS[node.name.lower()](self, node)

    def finite(self, node: exp.Expr) -> None:
        found = kind(node.expressions[0]).name
        if found not in ("double", "timestamp") or self.family not in EXECUTED:
            raise self.refusal("a function that no dialect is known for")
        template = f"abs({{0}}) < cast('infinity' as {self.types['double']})"
        if found == "timestamp":
            template = "case when {0} is not null then true end" if self.family == "spark" else ""
        if template and self.family != "duckdb":
            node.replace(text(template, *node.expressions))

    def error(self, node: exp.Expr) -> None:
        """What stops the query, of the kind of the values that stand beside it."""
        case = node.find_ancestor(exp.Case, exp.Select)
        others = kind(case).name if isinstance(case, exp.Case) else ""
        made = self.stop("{0}")
        if others not in ("", "null", "text") and self.family != "duckdb":
            made = f"cast({made} as {self.types['bigint' if others == 'integer' else others]})"
        node.replace(text(made, *node.expressions))

    def secret(self, node: exp.Expr) -> None:
        """A secret; an error where it is missing or too short."""
        variable = node.expressions[0].name
        value = {"spark": f"system.session.{variable}", "duckdb": ""}.get(
            self.family, f"current_setting('{variable.replace('_', '.', 1)}')"
        )
        if value:
            stop = self.stop(f"'sqlanon: set {variable} first: {SHORTEST} characters or more'")
            node.replace(raw(
                f"case when length({value}) >= {SHORTEST} then {value} else {stop} end"
            ))  # fmt: skip

    def hash(self, node: exp.Expr) -> None:
        """A hash of texts and whole numbers, for comparisons with others of the same database."""
        parts = []
        for place, part in enumerate(node.expressions):
            found, value = kind(part), f"{{{place}}}"
            if found not in (TEXT, INTEGER, WIDE):
                raise self.refusal("a hash of this kind")
            if found == INTEGER or isinstance(part, exp.Literal):
                # a narrower number may have another hash, and a literal has no type of its own
                value = f"cast({value} as {self.types['bigint' if found == INTEGER else 'text']})"
            # Spark takes no notice of a NULL
            parts += [f"{value} is null", value] if self.family == "spark" else [value]
        template = {"duckdb": "hash({})", "postgres": "hash_record_extended(row({}), 0)",
                "spark": "cast(xxhash64({}) as decimal(20, 0))"}.get(self.family)  # fmt: skip
        if template is None:
            raise self.refusal("a hash of this kind")
        node.replace(text(template.format(", ".join(parts)), *node.expressions))


def _is_counted(node: exp.Expr) -> bool:
    """Whether a value is a whole number already; a sum of unknown columns counts them."""
    if isinstance(node, exp.Coalesce):
        return all(map(_is_counted, [node.this, *node.expressions]))
    sums = any(isinstance(each, exp.Sum) and kind(each) == UNKNOWN for each in (node, node.this))
    return sums or kind(node).is_whole or is_error(node)


_R = _Rules
_FUNCTIONS: Mapping[str, Callable[[_Rules, exp.Expr], None]] = {
    "error": _R.error, "getvariable": _R.secret, "hash": _R.hash, "isfinite": _R.finite,
    "nfc_normalize": _R.composed,
}  # fmt: skip
_RULES: Mapping[type[exp.Expr], Callable[[_Rules, exp.Expr], None]] = {
    **dict.fromkeys((exp.Avg, exp.Exp, exp.Ln, exp.Log, exp.Pow, exp.Sqrt), _R.of_doubles),
    exp.VariancePop: _R.of_doubles,
    **dict.fromkeys((exp.Ceil, exp.Floor), _R.to_whole),
    **dict.fromkeys((exp.Greatest, exp.Least), _R.greatest_or_least),
    **dict.fromkeys((exp.ApproxDistinct, exp.ApproxQuantile), _R.estimated),
    **dict.fromkeys((exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between), _R.compared),
    **dict.fromkeys((exp.Min, exp.Max, exp.Ordered), lambda self, node: self.in_order(node.this)),
    **dict.fromkeys((exp.Concat, exp.ConcatWs, exp.DPipe, exp.GroupConcat), _R.joined),
    **dict.fromkeys((exp.RegexpExtract, exp.RegexpLike, exp.RegexpReplace), _R.regular_expression),
    **dict.fromkeys((exp.SplitPart, exp.StartsWith, exp.Translate, exp.Trim), _R.settle),
    exp.Anonymous: _R.other, exp.ArrayAgg: _R.listed, exp.BitwiseLeftShift: _R.shifted,
    exp.Cast: _R.cast, exp.Chr: _R.character, exp.Collate: _R.collated, exp.Div: _R.divided,
    exp.Explode: _R.rows, exp.Filter: _R.filtered, exp.IntDiv: _R.divided_whole,
    exp.Literal: _R.literal, exp.Lower: _R.lowered, exp.NullSafeEQ: _R.null_safe_equal,
    exp.Replace: _R.replaced_parts, exp.Substring: _R.substring, exp.Sum: _R.summed,
    exp.TimeToStr: _R.formatted, exp.TryCast: _R.tried,
}  # fmt: skip
