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
        for inner, own in getattr(command, "commands", {"": command}).items():
            yield f"{name} {inner}".strip(), own


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
        quoted = ", ".join(f'"{name}"' for name in names)
        line = f'    "{module}": ({quoted}{"," * (len(names) == 1)}),'
        wrapped = [f"        {each}" for each in textwrap.wrap(f"{quoted},", 92)]
        homes += [line] if len(line) <= 100 else [f'    "{module}": (', *wrapped, "    ),"]
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
    words = [(p.required, argument(p)) for p in command.params if not p.opts[0].startswith("-")]
    return " ".join([f"sqlanon {name}", *(w if required else f"[{w}]" for required, w in words)])


def argument(parameter: Any) -> str:
    """The name of an argument, in capitals."""
    return str(parameter.metavar or parameter.name.upper())


def recorded(parameter: Any, name: str, command: Any) -> str:
    """A row of how a parameter is written, its default, and what it does."""
    written, text = parameter.get_help_record(typer.Context(command, info_name=name))
    notes: list[str] = []
    while found := re.search(r"\s*\[([^\[\]]*)\]$", text):
        text = text[: found.start()]
        notes += found[1].split("; ")
    default = ", ".join(n.removeprefix("default: ") for n in notes if n.startswith("default: "))
    if not parameter.opts[0].startswith("-"):
        written = argument(parameter)
    written = re.sub(r"<(\w+)( range)?>", lambda kind: KINDS[kind[1]], written)
    return f"| `{cell(written)}` | {cell(default)} | {cell(text)} |"


KINDS = {"int": "N", "float": "X", "str": "TEXT", "path": "FILE", "choice": "NAME"}
"""What the type of an option is called."""


def commands_page() -> str:
    """All commands, their arguments and options, and exit codes."""
    found = {name: (usage(name, command), command) for name, command in cli_commands()}
    lines = [ABOUT_COMMANDS]
    for name, (line, command) in found.items():
        first = cell(command.help.strip().split("\n\n")[0])
        anchor = f"sqlanon-{name.replace(' ', '-')}"
        lines.append(f"| [`{line}`](#{anchor}) | {first} | `sqlanon.{twin(name)}` |")
    for name, (line, command) in found.items():
        lines += ["", f"## sqlanon {name}", "", "```text", f"{line} [OPTIONS]", "```"]
        for paragraph in command.help.strip().split("\n\n"):
            lines += ["", *textwrap.wrap(paragraph, 100, break_on_hyphens=False)]
        rows = [recorded(p, name, command) for p in command.params if p.name != "help"]
        if rows:
            lines += ["", "| argument or option | default | effect |", "|---|---|---|", *rows]
    lines += ["", "## Exit codes", "", "| code | error | meaning |", "|---|---|---|"]
    lines.append("| 0 | | success |")
    for code, classes in errors().items():
        names = ", ".join(f"`{cls.__name__}`" for cls in classes)
        meaning = " ".join((cls.__doc__ or "").split("\n\n")[0].strip() for cls in classes)
        lines.append(f"| {code} | {names} | {cell(meaning)} |")
    return "\n".join([*lines, SIGNALS, ABOUT_ERRORS]) + "\n"


def errors() -> dict[int, list[type[SqlanonError]]]:
    """The errors of each exit code."""
    found: dict[int, list[type[SqlanonError]]] = {}
    for cls in offered().values():
        if isinstance(cls, type) and issubclass(cls, SqlanonError) and cls is not SqlanonError:
            found.setdefault(cls.exit_code, []).append(cls)
    return dict(sorted(found.items()))


def offered() -> dict[str, Any]:
    """The public names."""
    return {name: getattr(sqlanon, name) for name in sqlanon.__all__}


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
    registries = {
        "Hierarchies": HIERARCHY_KINDS.values(), "Privacy models": PRIVACY_MODELS,
        "Methods": METHODS, "Measures": UTILITY_MEASURES, "Attacks": ATTACKS,
    }  # fmt: skip
    registered = {
        "Columns": ["Identifier", "QuasiIdentifier", "SensitiveAttribute", "InsensitiveAttribute"],
        **{group: [cls.__name__ for cls in classes] for group, classes in registries.items()},
    }
    known = {name for names in registered.values() for name in names}
    return {"Parts": [name for name in parts if name not in known], **registered}


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
    name = str(part["title"])
    kinds = {cls.__name__: key for key, cls in HIERARCHY_KINDS.items()}
    if name in ("IntervalKeys", "MaskKeys"):
        return f"{kinds[PARTS[name]]} mapping"
    return kinds.get(name) or PARTS.get(name, name.lower())


FORMS = {cls.__name__: {key for form in cls.forms for key in form.parameters} for cls in ATTACKS}
"""The keys of each attack that choose one of its forms; a plan without them tries all."""


def key_table(part: dict[str, Any], parts: dict[str, Any]) -> list[str]:
    """The keys of a part, without the one that names it."""
    rows = []
    for key, about in part["properties"].items():
        if about.get("const") == title(part):
            continue
        value = about.get("default")
        default = f"`{as_yaml(value)}`"
        if value is None or isinstance(value, dict):  # a part says its own defaults
            default = ""
        if key in part.get("required", ()):
            default = "required"
        if key in FORMS.get(part["title"], ()):
            default = "all are tried"
        kind = value_text(about, parts)
        rows.append(f"| `{key}` | {kind} | {default} | {cell(meaning(about, parts))} |")
    head = ["", "| key | value | default | meaning |", "|---|---|---|---|"]
    return [*head, *rows] if rows else []


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
    return one_of(options, parts) if options else plain_text(about, parts)


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
    ends = {"minimum": "from", "exclusiveMinimum": "above", "maximum": "to",
            "exclusiveMaximum": "below"}  # fmt: skip
    bounds = [
        f"{word} {about[key]:,g}" if abs(about[key]) < 1e6 else f"{word} {about[key]:,.0f}"
        for key, word in ends.items()
        if key in about and not (key == "maximum" and "exclusiveMaximum" in about)
    ]
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
    functions = {name: each for name, each in offered().items() if inspect.isfunction(each)}
    classes = {
        name: each
        for name, each in offered().items()
        if isinstance(each, type) and not issubclass(each, SqlanonError)
    }
    lines = [ABOUT_FUNCTIONS, "", "## Functions"]
    for name, function in functions.items():
        text = [*signature(name, function), "```", *documented(function)]
        lines += ["", f"### sqlanon.{name}", "", "```python", *text]
    lines += ["", "## A plan and its parts", "", ABOUT_PARTS]
    others = ["", "## Classes"]
    for name, cls in classes.items():
        if issubclass(cls, Part):
            lines += ["", f"### sqlanon.{name}", "", "```python", *call(name, cls), "```"]
            part = _schema()["$defs"].get(name)
            anchor = title(part) if part else "the-plan"
            lines += [*documented(cls), "", f"[Keys](keys.md#{anchor})"]
        else:
            others += ["", f"### sqlanon.{name}", *documented(cls)]
    return "\n".join([*lines, *others]) + "\n"


ABOUT_PARTS = """\
A part is given by its class or by its keys: `KAnonymity(5)` is `{model: k-anonymity, k: 5}`. What
stands before `*` may be given by position; everything that a plan may write is a keyword."""


def call(name: str, cls: type[Part]) -> list[str]:
    """How a part is made, with its defaults, as a call of 100 characters a line."""
    named = next((key for key in ("role", "model", "name") if key in cls.model_fields), "")
    texts: list[str] = []
    for parameter in inspect.signature(cls).parameters.values():
        if parameter.name == named:  # in a plan it names the class
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in "".join(texts):
            texts.append("*")
        plain = parameter.replace(annotation=parameter.empty)
        if isinstance(parameter.default, Part) or repr(parameter.default) == "<factory>":
            plain = plain.replace(default=...)
        texts.append(str(plain).replace("Decimal('0')", "0").replace("Ellipsis", "..."))
    return textwrap.wrap(f"{name}({', '.join(texts)})", 100, subsequent_indent="    ")


_schema = functools.cache(sqlanon.schema)


def signature(name: str, function: Any) -> list[str]:
    """A call with every parameter on a line of its own, and what it returns."""
    found = inspect.signature(function)
    returned = re.sub(r"^\w+\.", "", str(found.return_annotation))
    lines = []
    for parameter in found.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and "    *," not in lines:
            lines.append("    *,")
        lines.append(f"    {str(parameter).replace(chr(39), '')},")
    if not lines:
        return [f"{name}() -> {returned}"]
    return [f"{name}(", *lines, f") -> {returned}"]


def documented(thing: Any) -> Iterator[str]:
    """A docstring in Markdown: its paragraphs, and its sections as lists."""
    for paragraph in inspect.cleandoc(thing.__doc__ or "").split("\n\n"):
        yield ""
        heading, _, entries = paragraph.partition("\n")
        if heading not in ("Args:", "Attributes:", "Raises:", "Returns:", "Yields:"):
            yield from paragraph.splitlines()
            continue
        yield f"**{heading.removesuffix(':')}**"
        yield ""
        if heading in ("Returns:", "Yields:"):
            yield re.sub(r"\s+", " ", textwrap.dedent(entries))
            continue
        for entry in re.split(r"\n(?! )", textwrap.dedent(entries)):
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
