"""The generated pages of docs/ are what the code says now, and the code says something of all."""

from __future__ import annotations

from pathlib import Path

import pytest

import sqlanon
from tests.reference_pages import WRITE, cli_commands, pages, twin

PAGES = pages()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_generated_page_is_current(page: Path) -> None:
    assert page.read_text(encoding="utf-8") == PAGES[page], f"{WRITE} writes it"


def test_every_command_has_a_function_of_python_and_help_of_its_parameters() -> None:
    found = [name for name, _ in cli_commands()]
    assert len({twin(name) for name in found}) == len(found) >= 16
    assert {twin(name) for name in found} <= set(sqlanon.__all__)
    for name, command in cli_commands():
        assert command.help, name
        for parameter in command.params:
            assert parameter.help, f"{name}: {parameter.name}"
