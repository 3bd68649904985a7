"""The generated pages of docs/ are what the code says now, and the code says something of all."""

from __future__ import annotations

from pathlib import Path

import pytest

import sqlanon
from tests.reference_pages import WRITE, cli_commands, errors, pages, title, twin

PAGES = pages()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_generated_page_is_current(page: Path) -> None:
    assert page.read_text(encoding="utf-8") == PAGES[page], f"{WRITE} writes it"


def test_every_command_has_a_function_of_python() -> None:
    found = [name for name, _ in cli_commands()]
    assert len(found) >= 16
    assert len({twin(name) for name in found}) == len(found)
    assert {twin(name) for name in found} <= set(sqlanon.__all__)


def test_every_command_and_parameter_has_help() -> None:
    for name, command in cli_commands():
        assert command.help, name
        for parameter in command.params:
            assert parameter.help, f"{name}: {parameter.name}"


def test_every_command_option_and_exit_code_is_on_the_page_of_commands() -> None:
    text = next(text for page, text in PAGES.items() if page.name == "commands.md")
    for name, command in cli_commands():
        section = text.split(f"\n## sqlanon {name}\n")[1].split("\n## ")[0]
        for parameter in command.params:
            for option in parameter.opts:
                written = option if option.startswith("-") else parameter.metavar or option.upper()
                assert f"| `{written}" in section, f"{name} {option}"
    assert sum(map(len, errors().values())) == 8
    rows = text.split("## Exit codes")[1].splitlines()
    for code, classes in errors().items():
        (row,) = [row for row in rows if row.startswith(f"| {code} |")]
        assert all(f"`{cls.__name__}`" in row for cls in classes)


def test_every_key_of_a_plan_is_on_the_page_of_keys() -> None:
    text = next(text for page, text in PAGES.items() if page.name == "keys.md")
    schema = sqlanon.schema()
    parts = [schema, *schema["$defs"].values()]
    assert len(parts) >= 60
    for part in parts:
        section = text if part is schema else text.split(f"\n### `{title(part)}`\n")[1]
        section = section.split("\n## ")[0] if part is not schema else section
        for key, about in part["properties"].items():
            named = about.get("const") == title(part) if "const" in about else False
            assert named or f"\n| `{key}` |" in section, f"{part['title']}.{key}"


def test_every_public_name_is_on_a_page() -> None:
    text = next(text for page, text in PAGES.items() if page.name == "functions.md")
    error_names = {cls.__name__ for classes in errors().values() for cls in classes}
    for name in set(sqlanon.__all__) - error_names - {"SqlanonError", "__version__"}:
        assert f"\n### sqlanon.{name}\n" in text, name
        assert text.split(f"\n### sqlanon.{name}\n")[1].split("\n### ")[0].strip(), name
