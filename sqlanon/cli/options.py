"""How commands are declared: the options that they share, and how they show what they found."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any, get_args

import typer
from typer.models import OptionInfo

import sqlanon
from sqlanon.cli.layout import Drawn
from sqlanon.cli.output import print_blocks, print_json, steps_shown
from sqlanon.display.blocks import Block, Displayed

app = typer.Typer(
    name="sqlanon",
    help="A SQL-native anonymizer: a plan becomes SQL that an analyst can read, and a proof.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
hierarchy_app = typer.Typer(help="Check or show generalization hierarchies.", no_args_is_help=True)
app.add_typer(hierarchy_app, name="hierarchy")
dbt_app = typer.Typer(help="Work with a project of dbt.", no_args_is_help=True)
app.add_typer(dbt_app, name="dbt")

PlanFile = Annotated[Path, typer.Argument(metavar="PLAN", help="The plan, a YAML file.")]
ShowValues = Annotated[
    bool, typer.Option("--show-values", help="Also list their quasi-identifiers.")
]

_SHARED: dict[str, Any] = {
    "overrides": Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Replace a key of the plan, as in suppression.limit=0.05, privacy.0.k=10 or"
            " method.name=datafly; may be repeated.",
        ),
    ],
    "target": Annotated[
        Path | None,
        typer.Option(
            "--target",
            metavar="FOLDER",
            help="Folder for SQL and manifest. [default: target/<plan name>/ next to the plan]",
        ),
    ],
    "threads": Annotated[
        int | None,
        typer.Option(
            "--threads",
            metavar="N",
            min=1,
            help="Threads for DuckDB, 1 to 512. [default: all cores]",
        ),
    ],
    "memory_limit": Annotated[
        str | None,
        typer.Option(
            "--memory-limit",
            metavar="SIZE",
            help="Memory for DuckDB, as in 4GB, 64MB or more; beyond it DuckDB spills to disk.",
        ),
    ],
    "budget": Annotated[
        str | None,
        typer.Option(
            "--budget",
            metavar="TIME",
            help="Time for the search, as in 30s, 5min or 1h; then it takes the best node found and"
            " says how much worse than the optimum that is at most.",
        ),
    ],
    "as_json": Annotated[bool, typer.Option("--json", help="Print JSON to stdout.")],
}
ENGINE = ("threads", "memory_limit")
QUESTION = ("overrides", *ENGINE)
WORK = ("overrides", "target", *ENGINE)
"""Names of shared options: of commands that read data, that ask about a plan, that write files."""


class Call:
    """A command that was called.

    Attributes:
        shared: the values of its shared options, by name.
        wants_json: whether its result is printed as JSON.
    """

    def __init__(self, shared: Mapping[str, Any], steps: ExitStack, *, wants_json: bool) -> None:
        self.shared = shared
        self.wants_json = wants_json
        self._steps = steps

    def options(self, **others: Any) -> sqlanon.Options:
        """The options of the command, whose steps are shown from now on unless it says how."""
        if "progress" not in others:
            others["progress"] = self._steps.enter_context(steps_shown())
        shared = {name: value for name, value in self.shared.items() if value is not None}
        return sqlanon.Options(**shared, **others)

    def show(self, result: Displayed, *more: Block | Drawn) -> None:
        """Print a result, and what follows it for people."""
        if self.wants_json:
            self.write(result.as_json())
        else:
            self.write(None, *result.displayed(), *more)

    def write(self, content: Any, *blocks: Block | Drawn) -> None:
        """Print what was found, after the steps: as JSON the content, for people the blocks."""
        self._steps.close()
        if self.wants_json:
            print_json(content)
        else:
            print_blocks(blocks)


def command(
    *shared: str, to: typer.Typer = app, name: str | None = None, short_help: str | None = None
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Declare a command: a function of its own options and the `call`."""
    names = (*shared, "as_json")

    def declare(function: Callable[..., None]) -> Callable[..., None]:
        def called(**values: Any) -> None:
            common = {name: values.pop(name) for name in names}
            wants_json = common.pop("as_json")
            with ExitStack() as steps:
                function(call=Call(common, steps, wants_json=wants_json), **values)

        own = inspect.signature(function, eval_str=True).parameters.values()
        options = [
            inspect.Parameter(
                each,
                inspect.Parameter.KEYWORD_ONLY,
                default=False if each == "as_json" else None,
                annotation=_SHARED[each],
            )
            for each in names
        ]
        keywords = [
            each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in own if each.name != "call"
        ]
        for parameter in keywords:
            _name_value(parameter)
        signature = inspect.Signature([*keywords, *options])
        called.__signature__ = signature  # type: ignore[attr-defined]
        called.__annotations__ = {each: p.annotation for each, p in signature.parameters.items()}
        called.__name__, called.__doc__ = function.__name__, function.__doc__
        called.__module__ = function.__module__
        to.command(name, short_help=short_help)(called)
        return function

    return declare


_VALUES = {int: "N", Path: "FILE", str: "NAME"}


def _name_value(parameter: inspect.Parameter) -> None:
    """Say in help what the value of an option is, where its declaration does not."""
    kind, *infos = get_args(parameter.annotation)
    word = next((_VALUES[each] for each in (kind, *get_args(kind)) if each in _VALUES), None)
    for info in infos:
        if isinstance(info, OptionInfo):
            info.metavar = info.metavar or word
