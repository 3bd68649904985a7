"""The command line: arguments in, tables and JSON out, errors to exit codes. No logic of its own.

stdout carries data (`--json` on every command that has any), stderr carries talk and progress.
"""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, NoReturn, cast

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

import sqlanon
from sqlanon.attack import AttackFinding, exit_code
from sqlanon.boundary import guarded
from sqlanon.errors import PlanError, PublishError, SqlanonError, brief
from sqlanon.plan import Plan
from sqlanon.plan_text import checked_text, parse
from sqlanon.session import Options
from sqlanon.solution import FullDomainSolution, PartitionSolution, Solution
from sqlanon.verify import plain, violation
from sqlanon.version import __version__

app = typer.Typer(
    name="sqlanon",
    help="A SQL-native anonymizer: a plan becomes SQL that an analyst can read, and a proof.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
hierarchy_app = typer.Typer(help="Look at generalization hierarchies.", no_args_is_help=True)
app.add_typer(hierarchy_app, name="hierarchy")

_CLOSED_OUTPUT = 141
"""Exit code where nobody reads the output any more, as of other commands: 128 + SIGPIPE."""


class _Output(Console):
    """A console whose reader may go away, as in `sqlanon schema | head`."""

    def on_broken_pipe(self) -> None:
        _give_up_output()


talk = _Output(stderr=True, highlight=False)
data = _Output(highlight=False, soft_wrap=True)

PlanFile = Annotated[Path, typer.Argument(metavar="PLAN", help="The plan, a YAML file.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON to stdout.")]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Replace a key, as in suppression.limit=0.05."),
]
Target = Annotated[
    Path | None,
    typer.Option("--target", help="Folder for SQL and manifest. [default: target/<plan name>/]"),
]
Threads = Annotated[int | None, typer.Option("--threads", min=1, help="Threads for DuckDB.")]
Memory = Annotated[
    str | None, typer.Option("--memory-limit", help="As in 4GB; beyond it DuckDB spills to disk.")
]


@contextmanager
def _options(
    overrides: list[str] | None = None,
    target: Path | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
    overwrite: bool = False,
) -> Iterator[Options]:
    """The options of a command, with a progress line on stderr while it runs."""

    def show(step: str) -> None:
        status.update(f"{escape(step)} …")

    progress: Callable[[str], None] | None = show if talk.is_terminal else None
    with talk.status("starting …") as status:
        yield Options(
            overrides=overrides or (),
            target=target,
            threads=threads,
            memory_limit=memory_limit,
            progress=progress,
            overwrite=overwrite,
        )


def _give_up_output() -> NoReturn:
    """End the command: what is written from here on, also by Python at its end, goes nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())
    raise SystemExit(_CLOSED_OUTPUT)


def _write(text: str) -> None:
    """Write to stdout, all of it.

    Raises:
        PublishError: it cannot be written, as on a full disk.
    """
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _give_up_output()
    except OSError as error:
        fault = PublishError(
            f"The output could not be written ({type(error).__name__}).",
            where="stdout",
            fix="check that the disk of the output has room",
        )
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise fault from error


def _print_json(value: Any) -> None:
    _write(json.dumps(value, indent=2, ensure_ascii=False, default=str) + "\n")


def _table(title: str, columns: list[str], rows: list[list[Any]], to: Console = talk) -> None:
    to.print(f"[bold]{escape(title)}[/bold]")
    table = Table(box=None, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(escape(_shown(cell)) for cell in row))
    to.print(table)


def _promise(entry: dict[str, Any]) -> str:
    """A model with its parameters, as in `k-anonymity k = 5`."""
    parameters = ", ".join(f"{name} = {value}" for name, value in entry["parameters"].items())
    return f"{entry['model']} {parameters}"


def _shown(cell: Any) -> str:
    if cell is None:
        return "-"
    if isinstance(cell, float):
        return f"{cell:,.6g}" if abs(cell) < 1e6 else f"{cell:,.0f}"
    return f"{cell:,}" if isinstance(cell, int) and not isinstance(cell, bool) else str(cell)


@app.command()
def check(plan: PlanFile, overrides: Set = None, as_json: Json = False) -> None:
    """Check the plan, its hierarchies and the source's columns. Reads no data rows."""
    with _options(overrides) as options:
        checked = sqlanon.check(plan, options)
    if as_json:
        _print_json(checked.model_dump(mode="json"))
        return
    _table(
        f"{checked.name}: sound",
        ["column", "role"],
        [[name, column.role] for name, column in checked.columns.items()],
    )
    for model in checked.privacy:
        talk.print(f"promise: {escape(model.promise)}")


@app.command()
def solve(
    plan: PlanFile,
    overrides: Set = None,
    target: Target = None,
    threads: Threads = None,
    memory_limit: Memory = None,
    as_json: Json = False,
) -> None:
    """Run the search; write PLAN.solution.json beside the plan."""
    with _options(overrides, target, threads, memory_limit) as options:
        solution = sqlanon.solve(plan, options)
    if as_json:
        _print_json(solution.model_dump(mode="json"))
        return
    _table(f"found by {solution.method}: {solution.label}", *_found(solution))
    talk.print(
        f"{solution.classes:,} classes, {solution.published_rows:,} rows published,"
        f" {solution.suppressed_rows:,} suppressed"
    )


def _found(solution: Solution) -> tuple[list[str], list[list[Any]]]:
    """Columns and rows of a table that tells the solution."""
    if isinstance(solution, FullDomainSolution):
        rows = [[n, level, solution.levels[n] - 1] for n, level in solution.node.items()]
        checked = f"{solution.lattice.checked:,} of {solution.lattice.nodes:,}"
        return ["quasi-identifier", "level", "of"], [*rows, ["nodes checked", checked, ""]]
    kinds = cast(PartitionSolution, solution).kinds
    return ["quasi-identifier", "cut as"], [[name, kind] for name, kind in kinds.items()]


@app.command()
def compile(
    plan: PlanFile, overrides: Set = None, target: Target = None, as_json: Json = False
) -> None:
    """Write the numbered SQL files and program.sql, which alone makes the table that run makes."""
    with _options(overrides, target) as options:
        program, folder = sqlanon.compile(plan, options)
    if as_json:
        names = [step.name for step in program.steps]
        _print_json({"folder": str(folder), "sha256": program.sha256, "steps": names})
        return
    talk.print(f"{len(program.steps)} steps written to {escape(str(folder))}")


@app.command()
def run(
    plan: PlanFile,
    overrides: Set = None,
    target: Target = None,
    threads: Threads = None,
    memory_limit: Memory = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace a file or table that no run of PLAN wrote.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Solve, release, verify, publish; write the manifest. Publishes only what is proven."""
    with _options(overrides, target, threads, memory_limit, overwrite) as options:
        result = sqlanon.run(plan, options)
    manifest = result.manifest
    if as_json:
        _print_json(manifest)
        return
    solution, rows = manifest["solution"], manifest["rows"]
    levels = ", ".join(f"{name} {level}" for name, level in (solution["node"] or {}).items())
    found = ["levels", f"{levels} ({solution['label']})"]
    _table(
        f"published {manifest['published']['path']}",
        ["", ""],
        [
            ["rows", f"{manifest['published']['rows']:,} of {rows['input']:,}"],
            ["suppressed", f"{rows['suppressed']:,}"],
            ["classes", f"{solution['classes']:,}"],
            found if levels else ["regions", solution["label"]],
            *(
                ["proven", f"{_promise(entry)}, measured {_number(entry['measured'])}"]
                for entry in manifest["privacy"]
            ),
            ["SQL", str(result.target / "sql" / "program.sql")],
            ["seconds", f"{manifest['timings_seconds']['total']:.2f}"],
        ],
    )
    _table("lost", ["measure", "value"], [[k, v] for k, v in manifest["utility"].items()])


@app.command()
def verify(
    table: Annotated[
        str, typer.Argument(help="FILE.parquet, FILE.csv, FILE.json or FILE.duckdb::TABLE.")
    ],
    plan: Annotated[
        Path | None, typer.Option("--plan", help="The plan whose promises to prove.")
    ] = None,
    quasi_identifiers: Annotated[
        str | None, typer.Option(metavar="A,B", help="Without a plan: columns that form classes.")
    ] = None,
    sensitive: Annotated[
        str | None, typer.Option(metavar="A,B", help="Without a plan: sensitive columns.")
    ] = None,
    k: Annotated[int | None, typer.Option("--k", help="k-anonymity.")] = None,
    l: Annotated[str | None, typer.Option("--l", help="l-diversity.")] = None,  # noqa: E741
    kind: Annotated[
        str, typer.Option(help="Of --l: distinct, entropy, frequency or recursive (with --c).")
    ] = "distinct",
    c: Annotated[str | None, typer.Option("--c", help="c of recursive l-diversity.")] = None,
    t: Annotated[str | None, typer.Option("--t", help="t-closeness.")] = None,
    distance: Annotated[str, typer.Option(help="Of --t: equal or ordered.")] = "equal",
    alpha: Annotated[
        str | None, typer.Option("--alpha", help="(alpha,k)-anonymity, with --k.")
    ] = None,
    promise: Annotated[
        list[str] | None,
        typer.Option(metavar="YAML", help="Any promise, as in '{model: beta-likeness, beta: 2}'."),
    ] = None,
    population: Annotated[
        str | None, typer.Option(help="Without a plan: a table that contains the rows' persons.")
    ] = None,
    unit: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Without a plan: tells persons apart.")
    ] = None,
    delimiter: Annotated[str | None, typer.Option(help="Of a CSV file, without a plan.")] = None,
    with_source: Annotated[
        bool, typer.Option("--with-source", help="Compare with all rows of the plan's source.")
    ] = False,
    manifest: Annotated[
        Path | None,
        typer.Option(
            help="The manifest of the run that published the table; with --plan. Without it the"
            " plan's own, where that names this table."
        ),
    ] = None,
    no_manifest: Annotated[
        bool, typer.Option("--no-manifest", help="Compare with no manifest.")
    ] = False,
    failing: Annotated[
        int, typer.Option(min=0, help="How many failing classes of each promise to list.")
    ] = 10,
    show_values: Annotated[
        bool, typer.Option("--show-values", help="List their quasi-identifiers too.")
    ] = False,
    overrides: Set = None,
    threads: Threads = None,
    memory_limit: Memory = None,
    as_json: Json = False,
) -> None:
    """Prove promises, of a plan or of options, from the rows of a table; exit code 1 if one fails.

    A column that is both a quasi-identifier and sensitive has a single published value in every
    class, and is told so.
    """
    bounds = {"k": k, "l": l, "c": c, "t": t, "alpha": alpha}
    made_of = [name for name, value in bounds.items() if value is not None]
    made_of += [name for name, value in (("promise", promise), ("population", population),
                ("sensitive", sensitive), ("unit", unit), ("delimiter", delimiter),
                ("quasi-identifiers", quasi_identifiers)) if value]  # fmt: skip
    if plan is None and with_source:
        raise PlanError(
            "Without a plan there is no source to compare with.",
            where="--with-source",
            fix="give --plan, or leave out --with-source",
        )
    if manifest is not None and (plan is None or no_manifest):
        raise PlanError(
            "A manifest needs the plan that it was written for, and no --no-manifest.",
            where="--manifest",
            fix="give --plan, or leave out --manifest",
        )
    if plan is not None and made_of:
        raise PlanError(
            f"--{made_of[0]} and --plan both say what is promised.",
            where="verify",
            fix="give a plan, or options alone; --set changes a plan",
        )
    with _options(overrides, None, threads, memory_limit) as options:
        looked_for: Path | Plan = plan or _plan_of_options(
            table, quasi_identifiers, sensitive, _promises(bounds, kind, distance, promise),
            population=population, unit=unit, delimiter=delimiter,
        )  # fmt: skip
        findings = sqlanon.verify(
            table,
            looked_for,
            options,
            with_source=with_source,
            manifest=manifest or not no_manifest,
            list_failing=failing,
            with_values=show_values,
        )
    if as_json:
        _print_json([_plain_finding(vars(finding)) for finding in findings])
    else:
        _table(
            f"{table}",
            ["promise", "measured", "holds", "failing classes", "failing rows"],
            [
                [_promise(vars(f)), _number(f.measured), f.satisfied, f.failing_classes,
                 f.failing_rows]
                for f in findings
            ],
        )  # fmt: skip
        for finding in findings:
            if finding.failing:
                rows = [[_number(value) for value in one.values()] for one in finding.failing]
                columns = [name.replace("_", " ") for name in finding.failing[0]]
                shown = f"the {len(rows)} largest of {finding.failing_classes}"
                _table(f"failing: {_promise(vars(finding))}, {shown}", columns, rows)
    broken = violation(findings, table)
    if broken:
        raise broken


def _plain_finding(finding: dict[str, Any]) -> dict[str, Any]:
    """A finding as JSON can hold it."""
    failing = [{key: plain(value) for key, value in one.items()} for one in finding["failing"]]
    measures = {key: plain(finding[key]) for key in ("measured", "measured_published")}
    return {**finding, **measures, "failing": failing}


def _promises(
    bounds: dict[str, Any], kind: str, distance: str, promises: list[str] | None
) -> list[dict[str, Any]]:
    """The entries of a plan's `privacy` that options stand for."""
    k, alpha = bounds["k"], bounds["alpha"]
    entries: list[dict[str, Any]] = []
    for option, needed, is_wrong in (
        ("--c", "--l and --kind recursive", bounds["c"] is not None and kind != "recursive"),
        ("--kind", "--l", kind != "distinct" and bounds["l"] is None),
        ("--kind recursive", "--c", kind == "recursive" and bounds["c"] is None),
        ("--distance", "--t", distance != "equal" and bounds["t"] is None),
        ("--alpha", "--k", alpha is not None and k is None),
    ):
        if is_wrong:
            raise PlanError(f"{option} needs {needed}.", where="verify", fix=f"give {needed} too")
    if distance == "hierarchical":
        raise PlanError(
            "Without a plan there is no hierarchy to measure distances by.",
            where="--distance",
            fix="give --plan, or choose equal or ordered",
        )
    if alpha is not None:
        entries.append({"model": "alpha-k-anonymity", "alpha": alpha, "k": k})
    elif k is not None:
        entries.append({"model": "k-anonymity", "k": k})
    if bounds["l"] is not None:
        entry = {"model": "l-diversity", "kind": kind, "l": bounds["l"]}
        entries.append(entry | ({"c": bounds["c"]} if bounds["c"] is not None else {}))
    if bounds["t"] is not None:
        entries.append({"model": "t-closeness", "distance": distance, "t": bounds["t"]})
    for promise in promises or ():
        entry, _ = parse(checked_text(promise, "--promise").encode(), "--promise")
        if not isinstance(entry, dict):
            raise PlanError(
                f"'{brief(promise)}' is no promise.",
                where="--promise",
                fix="write it as in a plan, such as '{model: beta-likeness, beta: 2}'",
            )
        entries.append(entry)
    return entries


def _plan_of_options(
    table: str,
    quasi_identifiers: str | None,
    sensitive: str | None,
    privacy: list[dict[str, Any]],
    *,
    population: str | None,
    unit: str | None,
    delimiter: str | None,
) -> Plan:
    if not quasi_identifiers or not privacy:
        raise PlanError(
            "Without a plan, the columns that form classes and a promise are needed.",
            where="verify",
            fix="give --plan, or as in --quasi-identifiers age,sex --sensitive diagnosis --k 5",
        )
    source = {"path": table} if delimiter is None else {"path": table, "delimiter": delimiter}
    others: dict[str, Any] = {"population": population} if population else {}
    if unit is not None:
        others["unit"] = unit
    return sqlanon.promised(source, _names(quasi_identifiers), _names(sensitive), privacy, **others)


def _names(listed: str | None) -> list[str]:
    """Column names of a comma-separated list; one that has a comma itself stands in quotes."""
    return [name.strip() for name in next(csv.reader([listed or ""], skipinitialspace=True), [])]


def _number(value: Any) -> Any:
    """A measure as tables show it, to six digits."""
    return f"{value:.6g}" if isinstance(value, float) else value


@app.command()
def attack(
    published: Annotated[
        str, typer.Argument(help="FILE.parquet, FILE.csv, FILE.json or FILE.duckdb::TABLE.")
    ],
    plan: Annotated[
        Path,
        typer.Option("--plan", help="The plan: tells columns and hierarchies."),
    ],
    population: Annotated[
        str | None, typer.Option(help="A table that contains the rows' persons and others.")
    ] = None,
    background: Annotated[
        str | None, typer.Option(help="A table of what is known beforehand, with weights.")
    ] = None,
    earlier: Annotated[
        str | None, typer.Option(help="Another release of the same persons.")
    ] = None,
    attacks: Annotated[
        list[str] | None,
        typer.Option(
            "--attack",
            metavar="NAME",
            help="Try this one, or '{name: linkage, threshold: 0.1}'. [default: all]",
        ),
    ] = None,
    riskiest: Annotated[
        int, typer.Option(min=0, help="How many of the riskiest classes of each attack to list.")
    ] = 10,
    show_values: Annotated[
        bool, typer.Option("--show-values", help="List their quasi-identifiers too.")
    ] = False,
    overrides: Set = None,
    threads: Threads = None,
    memory_limit: Memory = None,
    as_json: Json = False,
) -> None:
    """Try what an outsider would try on a published table; exit code 1 if it puts rows at risk.

    Nothing of the source is read. Exit code 2 if an attack that was asked for could not be tried.
    """
    asked = [_attack_of(option) for option in attacks or ()]
    with _options(overrides, None, threads, memory_limit) as options:
        findings = sqlanon.attack(
            published,
            plan,
            options,
            population=population,
            background=background,
            earlier=earlier,
            attacks=asked,
            list_classes=riskiest,
            with_values=show_values,
        )
    if as_json:
        _print_json([finding.as_json() for finding in findings])
    else:
        _tell_attacks(published, findings)
    code = exit_code(findings, asked)
    if code:
        raise typer.Exit(code)


def _attack_of(option: str) -> str | dict[str, Any]:
    """A name, or the mapping of a name and parameters that an option holds."""
    entry, _ = parse(checked_text(option, "--attack").encode(), "--attack")
    return entry if isinstance(entry, dict) else option


def _tell_attacks(published: str, findings: list[AttackFinding]) -> None:
    tried = [finding for finding in findings if finding.tried]
    _table(
        published,
        ["attack", "on", "rows at risk", "of", "share", "classes", "certainty"],
        [
            [_attack_name(f), f.attribute, f.rows_at_risk, f.rows, f.share, f.classes_at_risk,
             _number(f.certainty)]
            for f in tried
        ],
    )  # fmt: skip
    for finding in tried:
        for note in (*_told_measures(finding), *finding.notes):
            talk.print(escape(f"{_attack_name(finding)}: {note}"), soft_wrap=True)
        if finding.riskiest:
            shown = f"the {len(finding.riskiest)} riskiest of {finding.classes_at_risk} classes"
            about = f" on {finding.attribute}" if finding.attribute else ""
            rows = [[_number(value) for value in one.values()] for one in finding.riskiest]
            columns = [name.replace("_", " ") for name in finding.riskiest[0]]
            _table(f"{_attack_name(finding)}{about}: {shown}", columns, rows)
    for finding in findings:
        if not finding.tried:
            about = f" on {finding.attribute}" if finding.attribute else ""
            told = f"not tried: {_attack_name(finding)}{about}: {finding.reason}"
            talk.print(escape(told), soft_wrap=True)


def _attack_name(finding: AttackFinding) -> str:
    return f"{finding.attack} {finding.variant}".rstrip()


def _told_measures(finding: AttackFinding) -> list[str]:
    """The further numbers of an attack, on one line if there are any."""
    told = (finding.measured or {}).items()
    line = ", ".join(f"{name.replace('_', ' ')} {_number(value)}" for name, value in told)
    return [line] if line else []


@app.command()
def profile(
    plan: PlanFile,
    overrides: Set = None,
    threads: Threads = None,
    memory_limit: Memory = None,
    as_json: Json = False,
) -> None:
    """What the source would hold if it were published as it is: uniqueness, risk, k, l, t …"""
    with _options(overrides, None, threads, memory_limit) as options:
        found = sqlanon.profile(plan, options)
    if as_json:
        _print_json(vars(found))
        return
    classes = [[name.replace("_", " "), f"{n:,}"] for name, n in found.classes.items()]
    _table("equivalence classes", ["", ""], [*classes, ["uniqueness", _number(found.uniqueness)]])
    rows = []
    for entry in found.measured:
        about = [
            f"{value}" for key, value in entry.items() if key in ("kind", "distance", "absent")
        ]
        rows.append(
            [entry["model"], ", ".join(about), entry.get("attribute", ""),
             entry["measure"].replace("_", " "), _number(entry["measured"])]
        )  # fmt: skip
    _table("as it stands", ["model", "", "attribute", "measure", "value"], rows)
    for name, count in found.unknown_values.items():
        talk.print(f"{name}: {count:,} rows have a value that its hierarchy lacks")


@app.command()
def measure(
    plan: PlanFile,
    node: Annotated[
        list[str] | None,
        typer.Option("--node", metavar="COLUMN=LEVEL", help="Instead of the solution's levels."),
    ] = None,
    overrides: Set = None,
    threads: Threads = None,
    memory_limit: Memory = None,
    as_json: Json = False,
) -> None:
    """What the publication of a node or a partition loses, by every measure. Publishes nothing."""
    with _options(overrides, None, threads, memory_limit) as options:
        measured = sqlanon.measure(plan, options, node=_levels(node))
    if as_json:
        _print_json(measured)
        return
    levels = ", ".join(f"{name} {level}" for name, level in (measured["node"] or {}).items())
    _table(
        levels or f"{measured['classes']:,} classes",
        ["measure", "value"],
        [[k, v] for k, v in measured["utility"].items()],
    )
    rows = measured["rows"]
    talk.print(f"{rows['published']:,} rows published, {rows['suppressed']:,} suppressed")
    if not measured["satisfies"]:
        talk.print("This node does not hold the promise within the plan's limits.")


def _levels(pairs: list[str] | None) -> dict[str, int] | None:
    if not pairs:
        return None
    levels = {}
    for pair in pairs:
        name, equals, level = pair.rpartition("=")
        if not equals or not level.isdecimal() or len(level) > 9:
            raise PlanError(
                f"'{brief(pair)}' names no level.",
                where="--node",
                fix="write COLUMN=LEVEL, as in age=3",
            )
        levels[name] = int(level)
    return levels


@hierarchy_app.command("check")
def hierarchy_check(plan: PlanFile, overrides: Set = None, as_json: Json = False) -> None:
    """Prove that every hierarchy is nested, ends in one value, and has all values of the source."""
    with _options(overrides) as options:
        problems = sqlanon.check_hierarchies(plan, options)
    if as_json:
        _print_json([vars(problem) for problem in problems])
    elif problems:
        rows = [[p.attribute, p.level, p.problem, p.affected] for p in problems]
        _table("not sound", ["column", "level", "problem", "values or rows"], rows)
    else:
        talk.print("All hierarchies are sound.")
    if problems:
        raise typer.Exit(2)


@hierarchy_app.command("show")
def hierarchy_show(
    plan: PlanFile,
    column: Annotated[str, typer.Argument(help="A quasi-identifier of the plan.")],
    overrides: Set = None,
    as_json: Json = False,
) -> None:
    """Print a hierarchy over the values that the source holds."""
    with _options(overrides) as options:
        rows = sqlanon.show_hierarchy(plan, column, options)
    if as_json:
        _print_json([list(row) for row in rows])
        return
    levels = [f"level {level}" for level in range(len(rows[0]))] if rows else []
    _table(column, levels, [list(row) for row in rows], to=data)


@app.command()
def explain(
    name: Annotated[
        str, typer.Argument(help="As in k-anonymity, optimal, discernibility or linkage.")
    ],
    as_json: Json = False,
) -> None:
    """What a privacy model, method, measure or attack promises or does, and where it is from."""
    told = sqlanon.explain(name)
    if as_json:
        _print_json(told)
        return
    data.print(f"[bold]{told['name']}[/bold] ({told['kind']})\n\n{escape(told['text'])}\n")
    if told["parameters"]:
        data.print(f"Parameters:\n{escape(told['parameters'])}\n")
    data.print(f"Source: {escape(told['source'])}")


@app.command()
def schema() -> None:
    """Print the JSON Schema of plans."""
    _print_json(sqlanon.schema())


def _version(wanted: bool) -> None:
    if wanted:
        _write(f"sqlanon {__version__}\n")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """A SQL-native anonymizer."""


def main() -> NoReturn:
    """Run a command; an error becomes a message on stderr and an exit code.

    Raises:
        SystemExit: always, with the code.
    """
    raise SystemExit(_exit_code())


def _exit_code() -> int:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # names in another encoding than the terminal's
            stream.reconfigure(errors="backslashreplace")
    try:
        guarded(_run_app)()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except SqlanonError as error:
        talk.print(f"[bold red]{type(error).__name__}[/bold red]  {escape(str(error))}")
        return error.exit_code
    return 0


def _run_app() -> None:
    stdout = sys.stdout
    try:
        app(prog_name="sqlanon")
    finally:
        if sys.stdout is not stdout:  # typer puts another in its place where nobody reads it
            _give_up_output()
        _write("")  # what typer wrote, as the text of --help
