"""What follows from the code: pages of docs/, and the names that `sqlanon/__init__.py` lists.

    python -m tests.reference_pages

writes them; `test_reference.py` compares them with the code.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
import typer.main
import yaml

import sqlanon
from sqlanon import cli  # registers the commands
from sqlanon.attacks import ATTACKS
from sqlanon.boundary.part import Part
from sqlanon.cli.options import app
from sqlanon.errors import SqlanonError
from sqlanon.hierarchies import HIERARCHY_KINDS
from sqlanon.methods import METHODS
from sqlanon.privacy_models import PRIVACY_MODELS
from sqlanon.utility.measures import UTILITY_MEASURES
from tests.paths import ROOT

WRITE = "python -m tests.reference_pages"
TWINS = {"hierarchy check": "check_hierarchies", "hierarchy show": "show_hierarchy"}
"""Commands whose Python function is not called as they are."""


def cli_commands() -> Iterator[tuple[str, Any]]:
    """Every command with its full name, such as `hierarchy check`."""
    assert cli.COMMANDS
    root: Any = typer.main.get_command(app)
    for name, command in root.commands.items():
        if hasattr(command, "commands"):
            for inner_name, inner in command.commands.items():
                yield f"{name} {inner_name}", inner
        else:
            yield name, command


def pages() -> dict[Path, str]:
    """The text of every generated page."""
    return {
        ROOT / "docs/commands.md": commands_page(),
        ROOT / "docs/keys.md": keys_page(),
        ROOT / "docs/functions.md": functions_page(),
        ROOT / "sqlanon/__init__.py": public_module(),
    }


def public_module() -> str:
    """`sqlanon/__init__.py` with the names of `_MODULES`, and of classes that a plan can name."""
    registered = (*HIERARCHY_KINDS.values(), *METHODS, *PRIVACY_MODELS)
    packages = {cls.__module__.split(".")[1] for cls in registered}
    modules = {m: names for m, names in sqlanon._MODULES.items() if m.split(".")[0] not in packages}
    modules |= {cls.__module__.removeprefix("sqlanon."): (cls.__name__,) for cls in registered}
    imports, homes = [], []
    for module, names in sorted(modules.items()):
        imports += [f"    from sqlanon.{module} import {name} as {name}" for name in names]
        quoted = ", ".join(f'"{name}"' for name in names) + "," * (len(names) == 1)
        line = f'    "{module}": ({quoted}),'
        if len(line) > 100:
            wrapped = textwrap.wrap(f"{quoted},", 92)
            line = "\n".join([f'    "{module}": (', *(f"        {w}" for w in wrapped), "    ),"])
        homes.append(line)
    text = (ROOT / "sqlanon/__init__.py").read_text(encoding="utf-8")
    for begin, lines, end in (
        ("if TYPE_CHECKING:\n", imports, "\n\n_MODULES"),
        ("_MODULES = {\n", homes, "\n}  # fmt: skip"),
    ):
        before, rest = text.split(begin)
        text = "".join([before, begin, "\n".join(lines), end, rest.split(end, 1)[1]])
    return text


def twin(name: str) -> str:
    """The function of `sqlanon` that does what a command does."""
    return TWINS.get(name, name.replace(" ", "_"))


def cell(text: str) -> str:
    """A text as a cell of a table."""
    escaped = re.sub(r"(?<!`)<([^>`]*)>", r"\\<\1\\>", text)
    return re.sub(r"\s+", " ", escaped).replace("|", "\\|").strip()


def usage(name: str, command: Any) -> str:
    """A command line, with the arguments as the help of their command names them."""
    parts = [f"sqlanon {name}"]
    for parameter in command.params:
        if not parameter.opts[0].startswith("-"):
            word = argument(parameter)
            parts.append(word if parameter.required else f"[{word}]")
    return " ".join(parts)


def argument(parameter: Any) -> str:
    """The name of an argument, in capitals."""
    return str(parameter.metavar or parameter.name.upper())


def recorded(parameter: Any, name: str, command: Any) -> tuple[str, str, str]:
    """How a parameter is written, its default, and what it does."""
    context = typer.Context(command, info_name=name)
    written, text = parameter.get_help_record(context)
    notes = []
    while found := re.search(r"\s*\[([^\[\]]*)\]$", text):
        text = text[: found.start()]
        notes.append(found[1])
    facts = [fact for note in notes for fact in note.split("; ")]
    defaults = [fact.removeprefix("default: ") for fact in facts if fact.startswith("default: ")]
    if not parameter.opts[0].startswith("-"):
        written = argument(parameter)
    written = re.sub(r"<(\w+)( range)?>", lambda kind: KINDS[kind[1]], written)
    return written, ", ".join(defaults), text


KINDS = {"int": "N", "float": "X", "str": "TEXT", "path": "FILE", "choice": "NAME"}
"""What the type of an option is called."""


def commands_page() -> str:
    """All commands, their arguments and options, and exit codes."""
    found = list(cli_commands())
    lines = [ABOUT_COMMANDS]
    for name, command in found:
        first = command.help.strip().split("\n\n")[0]
        anchor = f"sqlanon-{name.replace(' ', '-')}"
        lines.append(
            f"| [`{usage(name, command)}`](#{anchor}) | {cell(first)} | `sqlanon.{twin(name)}` |"
        )
    for name, command in found:
        lines += [
            "",
            f"## sqlanon {name}",
            "",
            "```text",
            f"{usage(name, command)} [OPTIONS]",
            "```",
        ]
        for paragraph in command.help.strip().split("\n\n"):
            lines += [
                "",
                *textwrap.wrap(paragraph, 100, break_on_hyphens=False),
            ]
        rows = [recorded(p, name, command) for p in command.params if p.name != "help"]
        lines += ["", "| argument or option | default | effect |", "|---|---|---|"]
        lines += [f"| `{cell(w)}` | {cell(d)} | {cell(text)} |" for w, d, text in rows]
        if not rows:
            del lines[-3:]
    lines += ["", *exit_codes()]
    return "\n".join(lines) + "\n"


def errors() -> dict[int, list[type[SqlanonError]]]:
    """The errors of each exit code."""
    found: dict[int, list[type[SqlanonError]]] = {}
    for name in sqlanon.__all__:
        cls = getattr(sqlanon, name)
        if isinstance(cls, type) and issubclass(cls, SqlanonError) and cls is not SqlanonError:
            found.setdefault(cls.exit_code, []).append(cls)
    return dict(sorted(found.items()))


def exit_codes() -> list[str]:
    """What each exit code means."""
    lines = [
        "## Exit codes",
        "",
        "| code | error | meaning |",
        "|---|---|---|",
        "| 0 | | success |",
    ]
    for code, classes in errors().items():
        names = ", ".join(f"`{cls.__name__}`" for cls in classes)
        meaning = " ".join((cls.__doc__ or "").split("\n\n")[0].strip() for cls in classes)
        lines.append(f"| {code} | {names} | {cell(meaning)} |")
    return [*lines, SIGNALS, ABOUT_ERRORS]


ABOUT_COMMANDS = f"""\
# Commands

<!-- `{WRITE}` writes this page from the code. -->

Each command is also a function of Python. `sqlanon COMMAND --help` prints what this page says, and
`sqlanon --version` the version. Results go to stdout, messages to stderr; `--json` prints the
result as JSON.

| command | does | Python |
|---|---|---|"""

SIGNALS = """\
| 129, 130, 143 | | stopped by SIGHUP, Ctrl-C or SIGTERM: 128 + the number of the signal. \
Working tables and files are removed first; a second signal is ignored meanwhile, a third ends the \
process at once |
| 141 | | the reader of the output has gone, as in `sqlanon schema \\| head` |"""

ABOUT_ERRORS = """
All errors are subclasses of `SqlanonError`; `what`, `where` and `fix` make up the message. A
message names keys, columns and counts, never a value of a source row. The Python functions of
sqlanon raise these errors only. The exceptions in their `__cause__` or `__context__` are of these
classes, too, or errors of the operating system."""


# --- the keys of a plan

ABOUT_KEYS = f"""\
# Keys of a plan

<!-- `{WRITE}` writes this page from the code. -->

Every key with its type, its range and its default, from the JSON Schema of plans, which
`sqlanon schema` prints. [The plan](plan.md) explains the keys with examples, [privacy
models](models.md) the promises, [partitioning](partitioning.md) and [buckets](dealing.md) the
methods, and [attacks](attacks.md) the attacks. `sqlanon explain NAME` prints what a name promises
or does."""


def keys_page() -> str:
    """All keys of a plan, from its JSON Schema."""
    schema = _schema()
    parts = schema["$defs"]
    lines = [ABOUT_KEYS, "", "## The plan", *key_table(schema, parts)]
    for group, names in grouped(parts).items():
        lines += ["", f"## {group}"]
        for name in names:
            about = parts[name]["description"].split("\n\n")[0]
            lines += ["", f"### `{title(parts[name])}`", "", *textwrap.wrap(about, 100)]
            lines += key_table(parts[name], parts)
    return "\n".join(lines) + "\n"


def grouped(parts: dict[str, Any]) -> dict[str, list[str]]:
    """The names of the parts of the schema by what they are, in the order of the registries."""
    registered = {
        "Columns": ("Identifier", "QuasiIdentifier", "SensitiveAttribute", "InsensitiveAttribute"),
        "Hierarchies": [cls.__name__ for cls in HIERARCHY_KINDS.values()],
        "Privacy models": [cls.__name__ for cls in PRIVACY_MODELS],
        "Methods": [cls.__name__ for cls in METHODS],
        "Measures": [cls.__name__ for cls in UTILITY_MEASURES],
        "Attacks": [cls.__name__ for cls in ATTACKS],
    }
    known = {name for names in registered.values() for name in names}
    others = [name for name in parts if name not in known]
    return {"Parts": others, **{group: list(names) for group, names in registered.items()}}


PARTS = {
    "Source": "source",
    "Destination": "publish",
    "IntervalKeys": "Intervals",
    "MaskKeys": "Mask",
}
"""Parts that are called otherwise than the key or the class that they belong to."""


def title(part: dict[str, Any]) -> str:
    """What a plan calls a part: its role, model or name, or else its key."""
    for key in ("role", "model", "name"):
        if "const" in part["properties"].get(key, {}):
            return str(part["properties"][key]["const"])
    kinds = {cls.__name__: key for key, cls in HIERARCHY_KINDS.items()}
    if part["title"] in kinds:
        return kinds[part["title"]]
    if part["title"] in ("IntervalKeys", "MaskKeys"):
        return f"{kinds[PARTS[part['title']]]} mapping"
    name = str(part["title"])
    return PARTS.get(name, name.lower())


FORMS = {cls.__name__: {key for form in cls.forms for key in form.parameters} for cls in ATTACKS}
"""The keys of each attack that choose one of its forms; a plan without them tries all."""


def key_table(part: dict[str, Any], parts: dict[str, Any]) -> list[str]:
    """The keys of a part, without the one that names it."""
    lines = ["", "| key | value | default | meaning |", "|---|---|---|---|"]
    rows = []
    for key, about in part["properties"].items():
        if "const" in about and about["const"] == title(part):
            continue
        value = about.get("default")
        if isinstance(value, dict):  # the defaults of a part, which it tells itself
            value = None
        default = "" if value is None else f"`{as_yaml(value)}`"
        default = "required" if key in part.get("required", ()) else default
        default = "all are tried" if key in FORMS.get(part["title"], ()) else default
        kind = value_text(about, parts)
        rows.append(f"| `{key}` | {kind} | {default} | {cell(meaning(about, parts))} |")
    return [*lines, *rows] if rows else []


def meaning(about: dict[str, Any], parts: dict[str, Any]) -> str:
    """What a key means: its own text, or that of the part that it is."""
    if "description" in about:
        return str(about["description"])
    for option in (about, *about.get("anyOf", ())):
        if "$ref" in option:
            return str(parts[option["$ref"].rpartition("/")[2]]["description"]).split("\n\n")[0]
    return ""


def as_yaml(value: Any) -> str:
    """A default as a plan has it."""
    text: str = yaml.safe_dump(value, default_flow_style=True, width=1000).strip()
    return text.removesuffix("...").strip()


def value_text(about: dict[str, Any], parts: dict[str, Any]) -> str:
    """What a value may be."""
    if "$ref" in about:
        name = about["$ref"].rpartition("/")[2]
        anchor = re.sub(r"[^\w\- ]", "", title(parts[name]).lower()).replace(" ", "-")
        return f"[`{title(parts[name])}`](#{anchor})"
    if "const" in about:
        return f"`{as_yaml(about['const'])}`"
    if "enum" in about:
        return ", ".join(f"`{as_yaml(value)}`" for value in about["enum"])
    options = about.get("anyOf") or about.get("oneOf")
    if options:
        return one_of(options, parts)
    return plain_text(about, parts)


def one_of(options: list[dict[str, Any]], parts: dict[str, Any]) -> str:
    """Several kinds of values; a whole group by its heading."""
    named = [option.get("$ref", "").rpartition("/")[2] for option in options]
    for group, names in grouped(parts).items():
        if len(options) > 1 and set(named) <= set(names):
            return f"one of [{group.lower()}](#{group.lower().replace(' ', '-')})"
    texts = [value_text(option, parts) for option in options if option.get("type") != "null"]
    if "enum" in options[0] and texts[1:] and texts[1].startswith("one of "):
        return texts[1].replace("one of ", "name or mapping of one of ")
    return ", or ".join(dict.fromkeys(text for text in texts if text))


def plain_text(about: dict[str, Any], parts: dict[str, Any]) -> str:
    """A text, a number, a list or a mapping, with its range."""
    kind = about.get("type")
    if kind == "array":
        return f"list: {value_text(about['items'], parts)}" if "items" in about else "list"
    if kind == "object":
        inner = about.get("additionalProperties")
        return f"mapping: {value_text(inner, parts)}" if isinstance(inner, dict) else "mapping"
    words = {"string": "text", "integer": "whole number", "number": "number"}
    text = words.get(str(kind), "`true`, `false`" if kind == "boolean" else "")
    bounds = [
        f"{word} {about[key]:,g}" if abs(about[key]) < 1e6 else f"{word} {about[key]:,.0f}"
        for key, word in (("minimum", "from"), ("exclusiveMinimum", "above"),
                          ("maximum", "to"), ("exclusiveMaximum", "below"))
        if key in about and not (key == "maximum" and "exclusiveMaximum" in about)
    ]  # fmt: skip
    return " ".join([text, *bounds])


# --- Python

ABOUT_FUNCTIONS = f"""\
# Python functions

<!-- `{WRITE}` writes this page from the code. -->

What `import sqlanon` offers, with parameters, results and errors. [Python](python.md) shows how it
is used; [commands](commands.md#exit-codes) lists the errors. `connection`, `source` and `overrides`
mean the same everywhere, as fields of [sqlanon.Options](#sqlanonoptions) or as arguments."""


def functions_page() -> str:
    """All public functions, and the classes that they take and return."""
    offered = {name: getattr(sqlanon, name) for name in sqlanon.__all__}
    functions = {name: value for name, value in offered.items() if inspect.isfunction(value)}
    classes = {
        name: value
        for name, value in offered.items()
        if isinstance(value, type) and not issubclass(value, SqlanonError)
    }
    lines = [ABOUT_FUNCTIONS, "", "## Functions"]
    for name, function in functions.items():
        lines += ["", f"### sqlanon.{name}", "", "```python"]
        lines += [*signature(name, function), "```", *documented(function)]
    lines += ["", "## A plan and its parts", "", ABOUT_PARTS]
    for name, cls in classes.items():
        if issubclass(cls, Part):
            lines += ["", f"### sqlanon.{name}", "", "```python", *call(name, cls), "```"]
            lines += [*documented(cls), "", keys_link(cls)]
    lines += ["", "## Classes"]
    for name, cls in classes.items():
        if not issubclass(cls, Part):
            lines += ["", f"### sqlanon.{name}", *documented(cls)]
    return "\n".join(lines) + "\n"


ABOUT_PARTS = """\
A part is given by its class or by its keys: `KAnonymity(5)` is `{model: k-anonymity, k: 5}`. What
stands before `*` may be given by position; everything that a plan may write is a keyword."""


def call(name: str, cls: type[Part]) -> list[str]:
    """How a part is made, with its defaults, as a call of 100 characters a line."""
    texts: list[str] = []
    only_named = False
    for parameter in inspect.signature(cls).parameters.values():
        if parameter.name == tag_of(cls):
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not only_named:
            if "*" not in "".join(texts):
                texts.append("*")
            only_named = True
        plain = parameter.replace(annotation=parameter.empty)
        if isinstance(parameter.default, Part) or repr(parameter.default) == "<factory>":
            plain = plain.replace(default=...)
        texts.append(str(plain).replace("Decimal('0')", "0").replace("Ellipsis", "..."))
    if only_named and texts[-1] == "*":
        texts.pop()
    return textwrap.wrap(f"{name}({', '.join(texts)})", 100, subsequent_indent="    ")


def tag_of(cls: type[Part]) -> str:
    """The key whose value names the class in a plan; empty for hierarchies."""
    return next((key for key in ("role", "model", "name") if key in cls.model_fields), "")


_schema = functools.cache(sqlanon.schema)


def keys_link(cls: type[Part]) -> str:
    """Where the page of keys has those of a class."""
    part = _schema()["$defs"].get(cls.__name__)
    return f"[Keys](keys.md#{title(part) if part else 'the-plan'})"


def signature(name: str, function: Any) -> list[str]:
    """A call with every parameter on a line of its own, and what it returns."""
    found = inspect.signature(function)
    lines, only_named = [], False
    for parameter in found.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not only_named:
            lines.append("    *,")
            only_named = True
        lines.append(f"    {str(parameter).replace(chr(39), '')},")
    returned = re.sub(r"^\w+\.", "", str(found.return_annotation))
    if not lines:
        return [f"{name}() -> {returned}"]
    return [f"{name}(", *lines, f") -> {returned}"]


def documented(thing: Any) -> Iterator[str]:
    """A docstring in Markdown: its paragraphs, and its sections as lists."""
    for paragraph in inspect.cleandoc(thing.__doc__ or "").split("\n\n"):
        yield ""
        heading, _, entries = paragraph.partition("\n")
        if heading in ("Args:", "Attributes:", "Raises:", "Returns:", "Yields:"):
            yield f"**{heading.removesuffix(':')}**"
            yield ""
            yield from listed(textwrap.dedent(entries), heading)
        else:
            yield from paragraph.splitlines()


def listed(entries: str, heading: str) -> Iterator[str]:
    """The entries of a section, one line each."""
    if heading in ("Returns:", "Yields:"):
        yield re.sub(r"\s+", " ", entries)
        return
    for entry in re.split(r"\n(?! )", entries):
        name, colon, text = re.sub(r"\s+", " ", entry).partition(": ")
        yield f"- `{name}`: {text}" if colon else f"- {name}"


def main() -> None:
    """Write the pages; those of functions have the names that the package then has."""
    (ROOT / "sqlanon/__init__.py").write_text(public_module(), encoding="utf-8", newline="\n")
    importlib.reload(sqlanon)
    for page, text in pages().items():
        page.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
