"""A template of sqlanon as a macro of dbt, with the same text whatever it is given.

Both are Jinja, in two dialects: templates have filters, imports and includes, and trim the line
end after a block; macros of dbt have none of these. A template is parsed, what a proof never asks
for is folded away, and the rest is written as a macro.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import jinja2
from jinja2 import nodes

from sqlanon.dbt.literals import literal
from sqlanon.errors import InternalError
from sqlanon.sql.render import parsed, shared_macro, shipped

PREFIX = "sqlanon"
"""The name of the dbt package, which qualifies its macros."""

FOLDED: Mapping[str, Any] = {
    "excess": False, "shares_persons": False, "scope": [], "table_scope": [],
}  # fmt: skip
"""Inputs that only a search gives; a proof has one publication, and asks for no excess."""

FILTERS = frozenset({"ident", "text", "number", "comment"})
"""Filters that are macros in dbt."""

DIALECT = (
    (re.compile(r"\bas double\b"), "as {{ sqlanon.double() }}"),
    (re.compile(r"\blog\(\s*2,\s*"), "{{ sqlanon.log2() }}("),
    (re.compile(r"\bis not distinct from\b"), "{{ sqlanon.same_as() }}"),
)
"""Words of the templates that databases have different names for."""

_COMPARISONS = {
    "eq": "==", "ne": "!=", "gt": ">", "gteq": ">=", "lt": "<", "lteq": "<=", "in": "in",
    "notin": "not in",
}  # fmt: skip


_TORN = (
    nodes.And, nodes.Or, nodes.Not, nodes.Neg, nodes.Compare, nodes.Test, nodes.CondExpr,
    nodes.Add, nodes.Sub, nodes.Mul, nodes.Concat,
)  # fmt: skip
"""Expressions that are written in parentheses, because a neighbor could tear them apart."""


class Macro(NamedTuple):
    """A macro of dbt.

    Attributes:
        name: without the package.
        arguments: the inputs of the template, in the order in which it declares them.
        text: the whole macro.
    """

    name: str
    arguments: Sequence[str]
    text: str


def inputs_of(template: str) -> list[str]:
    """The inputs that a template declares in its first line, without those that are folded."""
    source = (shipped("sql_templates") / template).read_text(encoding="utf-8")
    found = re.match(r"{#-?\s*inputs: (.*?)\s*-?#}", source)
    flat = re.sub(r"\[[^\[\]]*\]", "", found[1]) if found else ""
    names = [part.split()[0] for part in flat.split(",") if part.strip()]
    return [name for name in names if name not in FOLDED]


def macro_of(template: str, name: str, arguments: Sequence[str]) -> Macro:
    """The macro that renders as a template does.

    Args:
        template: its path below `sql_templates`.
        name: of the macro.
        arguments: the names of the template's inputs, without those that are folded.
    """
    writer = _Writer(_imported(template))
    body = writer.body(_folded(parsed(template).body))
    given = ", ".join(f"{each}=none" for each in arguments)
    return Macro(name, arguments, f"{{% macro {name}({given}) -%}}\n{body}\n{{%- endmacro %}}\n")


def shared_macros(template: str) -> Iterator[Macro]:
    """The macros of a template that others import, such as `keys_select` of `_keys.sql`."""
    own = module_of(template)
    found = [node for node in parsed(template).body if isinstance(node, nodes.Macro)]
    writer = _Writer(_imported(template), {each.name: f"{own}_{each.name}" for each in found})
    for node in found:
        name = f"{own}_{node.name}"
        body = writer.body(_folded(node.body))
        text = f"{{% macro {name}({writer.signature(node)}) %}}{body}{{% endmacro %}}\n"
        yield Macro(name, [each.name for each in node.args], text)


def module_of(template: str) -> str:
    """The name that an imported template has in names of macros: `keys` for `_keys.sql`."""
    return template.rpartition("/")[2].removeprefix("_").removesuffix(".sql")


def _imported(template: str) -> dict[str, str]:
    """The templates that a template imports, or that one that it includes does, by their names."""
    found: dict[str, str] = {}
    tree = parsed(template)
    for included in tree.find_all(nodes.Include):
        found |= _imported(_constant(included.template))
    return found | {node.target: _constant(node.template) for node in tree.find_all(nodes.Import)}


def _constant(node: nodes.Expr) -> str:
    value: str = node.as_const()
    return value


# --- what a proof never asks for


def _folded(body: Sequence[nodes.Node]) -> list[nodes.Node]:
    """The statements without imports, with includes in place, and without what is never asked."""
    found: list[nodes.Node] = []
    for node in body:
        if isinstance(node, nodes.Import):
            continue
        if isinstance(node, nodes.Include):
            found += _folded(parsed(_constant(node.template)).body)
        elif isinstance(node, nodes.If):
            found += _folded_if(node)
        elif isinstance(node, nodes.Output):
            found += [nodes.Output([_known(each)]) for each in node.nodes]
        else:
            for name in ("body", "else_"):
                if name in node.fields:
                    setattr(node, name, _folded(getattr(node, name)))
            found.append(node)
    return found


def _folded_if(node: nodes.If) -> list[nodes.Node]:
    """An `if` without the branches that are never taken; what is in it if it is always taken."""
    branches: list[nodes.If] = []
    for each in (node, *node.elif_):
        test = _known(each.test)
        if not isinstance(test, nodes.Const):
            branches.append(nodes.If(test, _folded(each.body), [], []))
        elif test.value:
            rest = _folded(each.body)
            break
    else:
        rest = _folded(node.else_)
    if not branches:
        return rest
    first, *others = branches
    return [nodes.If(first.test, first.body, others, rest)]


def _known(node: Any) -> Any:
    """The expression; a constant where the inputs that are folded decide it."""
    if isinstance(node, nodes.Name) and node.name in FOLDED:
        return nodes.Const(FOLDED[node.name])
    if isinstance(node, nodes.And | nodes.Or):
        left, right = _known(node.left), _known(node.right)
        decides = isinstance(node, nodes.Or)
        for one, other in ((left, right), (right, left)):
            if isinstance(one, nodes.Const):
                return one if bool(one.value) is decides else other
        return type(node)(left, right)
    if isinstance(node, nodes.Not):
        inner = _known(node.node)
        return nodes.Const(not inner.value) if isinstance(inner, nodes.Const) else nodes.Not(inner)
    if isinstance(node, nodes.CondExpr):
        test = _known(node.test)
        if isinstance(test, nodes.Const):
            chosen = node.expr1 if test.value else node.expr2
            return nodes.Const("") if chosen is None else _known(chosen)
        return node
    if isinstance(node, nodes.Call):
        node.args = [_known(each) for each in node.args]
    return node


# --- the rest, written


class _Writer:
    """Writes statements as a macro of dbt.

    Attributes:
        imported: the templates that are imported, by the names that they have here.
        own: the macros of this file, by their names in it.
    """

    def __init__(self, imported: Mapping[str, str], own: Mapping[str, str] | None = None) -> None:
        self.imported = imported
        self.own = own or {}

    def body(self, body: Sequence[nodes.Node]) -> str:
        """The text of statements."""
        text, owes = self._written(body, owes=False)
        return text + "\n" * owes

    def _written(self, body: Sequence[nodes.Node], *, owes: bool) -> tuple[str, bool]:
        """The text, and whether a line end is still owed.

        A line end before a block is written after the block's tag, which removes it before the
        tag: `{%- if x %}` begins a line. That is the same if every way through the block owes one.
        """
        text = ""
        for node in body:
            if isinstance(node, nodes.Output):
                (inner,) = node.nodes
                added = self._output(inner)
                if not added:
                    continue
                text, owes = text + "\n" * owes + added, False
                if isinstance(inner, nodes.TemplateData) and re.search(r"(^|\S)\n\Z", added):
                    text, owes = text[:-1], True
                continue
            if owes and self._keeps_owing(node):
                text += self._block(node, owes=True)
            else:
                text, owes = text + "\n" * owes + self._block(node, owes=False), False
        return text, owes

    def _keeps_owing(self, node: nodes.Node) -> bool:
        """Whether every way through a block ends with an owed line end if it begins with one."""
        if isinstance(node, nodes.Assign):
            return True
        if not isinstance(node, nodes.If | nodes.For):
            return False
        bodies = [node.body, node.else_]
        if isinstance(node, nodes.If):
            bodies += [each.body for each in node.elif_]
        return all(self._written(each, owes=True)[1] for each in bodies)

    def _block(self, node: nodes.Node, *, owes: bool) -> str:
        begin = "\n{%-" if owes else "{%"

        def inside(body: Sequence[nodes.Node]) -> str:
            text, still = self._written(body, owes=owes)
            return text + "\n" * (still and not owes)

        if isinstance(node, nodes.If):
            text = f"{begin} if {self._bare(node.test)} %}}{inside(node.body)}"
            for other in node.elif_:
                text += f"{begin} elif {self._bare(other.test)} %}}{inside(other.body)}"
            if node.else_:
                text += f"{begin} else %}}{inside(node.else_)}"
            return f"{text}{begin} endif %}}"
        if isinstance(node, nodes.For) and not node.else_ and node.test is None:
            each, values = self._target(node.target), self._bare(node.iter)
            return f"{begin} for {each} in {values} %}}{inside(node.body)}{begin} endfor %}}"
        if isinstance(node, nodes.Assign):
            value = self._bare(node.node)
            return f"{begin} set {self._target(node.target)} = {value} %}}"
        if isinstance(node, nodes.AssignBlock) and node.filter is None:
            target = self._target(node.target)
            return f"{{% set {target} %}}{self.body(node.body)}{{% endset %}}"
        if isinstance(node, nodes.CallBlock) and not node.args:
            return (
                f"{{% call {self._expression(node.call)} %}}{self.body(node.body)}{{% endcall %}}"
            )
        raise _unknown(node)

    def signature(self, node: nodes.Macro) -> str:
        """The arguments of a macro with their defaults."""
        names = [each.name for each in node.args]
        bare = len(names) - len(node.defaults)
        defaults = [f"{name}={self._expression(value)}"
                    for name, value in zip(names[bare:], node.defaults, strict=True)]  # fmt: skip
        return ", ".join([*names[:bare], *defaults])

    def _output(self, node: nodes.Node) -> str:
        if isinstance(node, nodes.TemplateData):
            if re.search(r"\{[{%#]|[}%#]\}", node.data):
                raise _unknown(node)
            text = node.data
            for words, other in DIALECT:
                text = words.sub(other, text)
            return text
        if isinstance(node, nodes.Call) and self._is_decided(node):
            assert isinstance(node.node, nodes.Getattr)
            assert isinstance(node.node.node, nodes.Name)
            macro = shared_macro(self.imported[node.node.node.name], node.node.attr)
            return str(macro(*(each.as_const() for each in node.args)))
        assert isinstance(node, nodes.Expr)
        if isinstance(node, nodes.Const) and node.value == "":
            return ""
        return f"{{{{ {self._bare(node)} }}}}"

    def _is_decided(self, node: nodes.Call) -> bool:
        """Whether an imported macro gets nothing but constants, an empty list among them."""
        is_imported = (
            isinstance(node.node, nodes.Getattr)
            and isinstance(node.node.node, nodes.Name)
            and node.node.node.name in self.imported
        )
        return (
            is_imported
            and not node.kwargs
            and all(isinstance(each, nodes.Const) for each in node.args)
            and any(each.as_const() == [] for each in node.args)
        )

    def _target(self, node: nodes.Node) -> str:
        if isinstance(node, nodes.NSRef):
            return f"{node.name}.{node.attr}"
        if isinstance(node, nodes.Tuple):
            return ", ".join(self._target(each) for each in node.items)
        if isinstance(node, nodes.Name):
            return node.name
        raise _unknown(node)

    def _bare(self, node: nodes.Node) -> str:
        """An expression that stands alone, without the parentheses that would keep it together."""
        text = self._expression(node)
        return text[1:-1] if isinstance(node, _TORN) else text

    def _operand(self, node: nodes.Node) -> str:
        """An operand of `and`, `or` or `not`, which tear only one another apart."""
        is_whole = isinstance(node, nodes.Compare | nodes.Test)
        return self._bare(node) if is_whole else self._expression(node)

    def _expression(self, node: nodes.Node) -> str:
        """An expression; parts that an operator would tear apart stand in parentheses."""
        write = self._expression
        match node:
            case nodes.Name():
                return f"{PREFIX}.{self.own[node.name]}" if node.name in self.own else node.name
            case nodes.Const():
                return literal(node.value, '"')
            case nodes.List():
                return f"[{', '.join(map(self._bare, node.items))}]"
            case nodes.Tuple():
                return f"({', '.join(map(write, node.items))},)"
            case nodes.Getattr(node=nodes.Name(name=name)) if name in self.imported:
                return f"{PREFIX}.{module_of(self.imported[name])}_{node.attr}"
            case nodes.Getattr():
                return f"{write(node.node)}.{node.attr}"
            case nodes.Getitem():
                return f"{write(node.node)}[{write(node.arg)}]"
            case nodes.Call(dyn_args=None, dyn_kwargs=None):
                return f"{write(node.node)}({self._arguments(node)})"
            case nodes.Filter(name=name) if name in FILTERS and node.node is not None:
                return f"{PREFIX}.{name}({write(node.node)})"
            case nodes.Filter() if node.node is not None:
                given = f"({self._arguments(node)})" if node.args or node.kwargs else ""
                return f"{write(node.node)} | {node.name}{given}"
        return self._operation(node)

    def _operation(self, node: nodes.Node) -> str:
        write = self._expression
        match node:
            case nodes.Test():
                given = f"({self._arguments(node)})" if node.args or node.kwargs else ""
                return f"({write(node.node)} is {node.name}{given})"
            case nodes.CondExpr():
                chosen = f"{self._bare(node.expr1)} if {self._bare(node.test)}"
                other = "" if node.expr2 is None else f" else {self._bare(node.expr2)}"
                return f"({chosen}{other})"
            case nodes.Not():
                return f"(not {self._operand(node.node)})"
            case nodes.Neg():
                return f"(-{write(node.node)})"
            case nodes.Compare():
                parts = [f"{_COMPARISONS[each.op]} {write(each.expr)}" for each in node.ops]
                return f"({' '.join([write(node.expr), *parts])})"
            case nodes.And() | nodes.Or():
                left, right = self._operand(node.left), self._operand(node.right)
                return f"({left} {node.operator} {right})"
            case nodes.Add() | nodes.Sub() | nodes.Mul():
                return f"({write(node.left)} {node.operator} {write(node.right)})"
            case nodes.Concat():
                return f"({' ~ '.join(map(write, node.nodes))})"
        raise _unknown(node)

    def _arguments(self, node: nodes.Call | nodes.Filter | nodes.Test) -> str:
        named = [f"{each.key}={self._bare(each.value)}" for each in node.kwargs]
        return ", ".join([*map(self._bare, node.args), *named])


def _unknown(node: nodes.Node) -> InternalError:
    return InternalError(
        f"A template uses {type(node).__name__} of Jinja {jinja2.__version__}, which is not known"
        " how to write as a macro of dbt.",
        where=f"line {node.lineno}",
        fix="add it to sqlanon/dbt/jinja.py, or write the template without it",
    )
