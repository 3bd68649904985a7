"""The whole program of a plan: its steps, its numbered files, and `program.sql`.

`run` executes the same steps. `program.sql` adds what a plain DuckDB connection needs: the working
catalog, the attached source, and the copy of the proven rows to their final place.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from sqlanon.boundary.files import file_stem, write_whole
from sqlanon.boundary.secrets import FEWEST, PERMUTATION_SEED, PSEUDONYM_KEY, SHORTEST, Secret
from sqlanon.dialects.steps import one_query
from sqlanon.errors import PlanError
from sqlanon.families.base import Family
from sqlanon.families.persons import copy_options
from sqlanon.families.solution import Solution
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import SOURCE_DATA, values_place
from sqlanon.proof.publication import file_relation, staged_publication
from sqlanon.proof.steps import verify_steps
from sqlanon.source.reading import attached_databases
from sqlanon.source.settings import result_settings
from sqlanon.sql.paths import file_to_write, written
from sqlanon.sql.render import comment, folded, templated, text
from sqlanon.sql.step import WORK_CATALOG, Step, quoted
from sqlanon.version import __version__


@dataclass(frozen=True)
class Program:
    """A compiled plan.

    Attributes:
        preamble: comment lines that describe the program and its promises.
        opening: statements before the first step: settings, catalogs, attached files.
        steps: the steps in order; `run` executes the same texts.
        closing: statements after the last proof: the copy to the final place.
        texts: the statements of each step for another database; None for DuckDB.
        release: the query of the published rows for another database.
        refusal: why there is no program for another database; None if there is one.
    """

    preamble: str
    opening: tuple[str, ...]
    steps: tuple[Step, ...]
    closing: tuple[str, ...]
    texts: tuple[tuple[str, ...], ...] | None = None
    release: str = ""
    refusal: PlanError | None = None

    @property
    def statements(self) -> Sequence[Sequence[str]]:
        """The statements of each step."""
        return [step.statements() for step in self.steps] if self.texts is None else self.texts

    @property
    def sql(self) -> str:
        """The whole program as one text."""
        parts = [self.preamble, *self.opening]
        total = len(self.steps)
        for number, statements in enumerate(self.statements, start=1):
            parts.append(f"-- step {number} of {total}\n" + "\n\n".join(statements))
        return "\n\n".join([*parts, *self.closing]) + "\n"

    @property
    def sha256(self) -> str | None:
        """Digest of the program's text; None if there is none."""
        return None if self.refusal else hashlib.sha256(self.sql.encode()).hexdigest()

    @property
    def release_sql(self) -> str:
        """The published rows as one query, which the program executes at once or in steps."""
        if self.release:
            return self.release
        return f"{written(self.release_query.sql).rstrip()};\n"

    @property
    def release_query(self) -> Step:
        """The step `release`, with what it reads of `placed_rows` or `person_rows` in its query."""
        names = ("placed_rows", "person_rows", "release")
        steps = [step for step in self.steps if step.name in names]
        return Step("release", one_query(steps, "release"), "rows")

    def write(self, target: Path) -> list[Path]:
        """Write release.sql, and in `sql/` one numbered file per step and program.sql, if any.

        The files of an earlier program are removed.
        """
        folder = target / "sql"
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.iterdir():
            if _is_of_program(old.name):
                old.unlink()
        release = target / "release.sql"
        write_whole(release, self.release_sql)
        if self.refusal:
            return [release]
        files = []
        digits = max(2, len(str(len(self.steps))))
        made = zip(self.steps, self.statements, strict=True)
        for number, (step, statements) in enumerate(made, start=1):
            path = folder / f"{number:0{digits}d}_{file_stem(step.name)}.sql"
            path.write_text("\n\n".join(statements) + "\n", encoding="utf-8", newline="\n")
            files.append(path)
        path = folder / "program.sql"
        write_whole(path, self.sql)
        return [*files, path, release]


def copy_others(earlier: Path, target: Path) -> None:
    """Copy what is not of a program from the `sql/` of a folder, if it has one, to another's."""

    def of_program(folder: str, names: list[str]) -> list[str]:
        return [name for name in names if Path(folder) == earlier / "sql" and _is_of_program(name)]

    if (earlier / "sql").is_dir():
        shutil.copytree(
            earlier / "sql", target / "sql", symlinks=True, ignore=of_program, dirs_exist_ok=True
        )


def _is_of_program(name: str) -> bool:
    """Whether a file is called as one that `Program.write` makes in `sql/`."""
    return re.fullmatch(r"(\d+_[\w-]+|program)\.sql", name) is not None


def compile_program(
    plan: Plan,
    release: Family[Any],
    solution: Solution | None,
    staged: str,
) -> Program:
    """The program of a plan: the release, preceded by the search if there is no solution.

    Args:
        release: the steps from the source to the staged rows.
        staged: file that has the rows until they are proven, relative to the plan's folder.

    Raises:
        PlanError: the method needs to be solved first, or the lattice is too large for a program.
    """
    groups = plan.column_groups if solution is None else solution.groups(plan)
    nodes = None if solution is None else solution.nodes
    publication = staged_publication(plan, groups, staged, nodes=nodes, ends=release.ends)
    proofs = verify_steps(publication)
    steps = needed_steps((*release.release_steps(solution, staged), *proofs))
    query = release.release_query(solution)
    file = f"{PurePosixPath(staged).parent}/sql/program.sql"
    lines = [
        f"run       duckdb -f {file}, from the plan's folder; needs DuckDB 2.0",
        "tables    all work is done in the catalog `sqlanon`, in memory",
    ]

    def secret_setting(secret: Secret) -> str:
        return f"first: set variable {secret.variable} = …"

    return Program(
        preamble=preamble(plan, release.description(solution), lines, secret_setting),
        opening=tuple(map(written, _opening(plan))),
        steps=steps,
        closing=tuple(map(written, _closing(plan, staged, steps))),
        release=f"{written(query).rstrip()};\n" if query else "",
    )


def preamble(
    plan: Plan,
    description: tuple[str, str],
    execution: Sequence[str],
    secret_setting: Callable[[Secret], str],
) -> str:
    """The header of a program.

    Args:
        description: title and words of what was found.
        execution: how to execute it, in lines that begin with a title.
        secret_setting: how a session gets a secret, in words.
    """
    title, found = description
    lines = [
        f"sqlanon {__version__}: all steps from the source to a proven publication",
        f"plan      {plan.file} (sha256 {plan.sha256[:12]}…)",
        *(f"promise   {promise}" for promise in plan.promises.sentences),
        f"{title:9} {found}",
        *execution,
    ]
    if plan.labeled_in_buckets:
        lines.append(
            "not here  who is in the table is counted by `sqlanon run` and `sqlanon verify`; this"
            " program does not prove it"
        )
    if plan.source.table == SOURCE_DATA:
        lines.append(
            f"source    first: register or create {SOURCE_DATA}; its rows were passed in Python"
        )
    for title, secret in secrets_of(plan).items():
        is_key = secret is PSEUDONYM_KEY
        value = key_words(plan) if is_key else f"the value of {secret.environment}"
        lines.append(f"{title:9} {secret_setting(secret)}, {value}")
    return "\n".join(
        textwrap.fill(
            comment(line),
            width=100,
            initial_indent="-- ",
            subsequent_indent="--           ",
            break_on_hyphens=False,
        )
        for line in lines
    )


def secrets_of(plan: Plan) -> dict[str, Secret]:
    """The secrets that the program reads, by their titles in its header."""
    read = {
        "key": (plan.reads_pseudonym_key, PSEUDONYM_KEY),
        "seed": (plan.method.is_seeded, PERMUTATION_SEED),
    }
    return {title: secret for title, (is_read, secret) in read.items() if is_read}


def key_words(plan: Plan) -> str:
    """What the key of pseudonyms is, for the header of a program."""
    if plan.has_random_pseudonyms:
        return f"a random text of {SHORTEST} characters or more that is kept nowhere"
    return f"the value of {PSEUDONYM_KEY.environment}"


def _opening(plan: Plan) -> list[str]:
    statements = [
        "-- what results depend on; a session's own settings may differ\n"
        + "\n".join(
            f"set {name} = {text(value)};" for name, value in result_settings(plan).items()
        ),
        f"attach ':memory:' as {WORK_CATALOG};",
    ]
    for name, file in attached_databases(plan).items():
        statements.append(f"attach {file_to_write(file)} as {name} (read_only);")
    for secret in secrets_of(plan).values():
        value = f"getvariable('{secret.variable}')"
        statements.append(
            f"select case when coalesce(length({value}), 0) < {SHORTEST}\n"
            f"        or length(list_distinct(string_split({value}, ''))) < {FEWEST}\n"
            f"    then error(\n"
            f"        'sqlanon: set the variable {secret.variable} first: '\n"
            f"        || '{SHORTEST} characters or more, {FEWEST} different ones'\n    )\n"
            f"    else 'set' end as {secret.variable.removeprefix('sqlanon_')};"
        )
    return statements


def needed_steps(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps that the release or a proof reads, directly or through others."""
    kept: list[Step] = []
    read = f"{WORK_CATALOG}.source_rows"  # counted at the end
    for step in reversed(steps):
        name = re.escape(f"{WORK_CATALOG}.{quoted(step.name)}")
        if step.kind in ("proof", "copy") or re.search(rf"{name}(?!\w)", read):
            kept.append(step)
            read = f"{read}\n{step.sql}"
    return tuple(reversed(kept))


def proven_step(plan: Plan, steps: Sequence[Step]) -> Step:
    """The table that exists only if every proof of these steps holds and no row is missing."""
    proofs = [step.name for step in steps if step.kind == "proof"]
    return templated("proof/proven", proofs=proofs, **_may_be_missing(plan))


def suppression_step(plan: Plan) -> Step:
    """The proof that no more rows are left out than the plan allows, which `proven` has within."""
    return templated("proof/proof_of_suppression", "proof", **_may_be_missing(plan))


def _may_be_missing(plan: Plan) -> dict[str, Any]:
    """Whether every row is published, and else the share or the number that may be left out."""
    stated = plan.suppression.limit is not None or not plan.may_suppress
    return {
        "whole": plan.keeps_every_row,
        "limit": (plan.suppression.limit or 0) if plan.may_suppress else 0,
        "rows": 0 if stated else plan.method.outlier_rows(plan.k),
    }


def _closing(plan: Plan, staged: str, steps: Sequence[Step]) -> list[str]:
    """The copy to the final place, if all proofs hold.

    The copy reads `proven`, so a shell that continues after an error does not find this table.
    """
    proven = proven_step(plan, steps)
    places = [(plan.publish, staged)]
    if plan.form.apart:
        places.append((plan.publish.of_values, values_place(staged)))
    statements, opened = [], False
    for place, file in places:
        rows = folded(
            f"    select staged.*\n    from {file_relation(file)} as staged\n"
            f"    where (select count(*) from {WORK_CATALOG}.proven) = 1\n"
        )
        note = "-- the proven rows, at their final place\n"
        if place.path is not None and place.database is None:
            final = file_to_write(place.path)
            statements.append(f"{note}copy (\n{rows}) to {final} ({copy_options(plan)});")
            continue
        parts = (place.table or place.database_table).split(".")
        if place.database is not None:
            if not opened:
                statements.append(f"attach {file_to_write(place.database)} as sqlanon_published;")
                if len(parts) > 1:
                    schema = f"sqlanon_published.{quoted(parts[0])}"
                    statements.append(f"create schema if not exists {schema};")
            opened = True
            parts = ["sqlanon_published", *parts]
        table = ".".join(map(quoted, parts))
        statements.append(f"{note}create or replace table {table} as (\n{rows});")
    return [*proven.statements(), *statements]


def program_steps(program: Program) -> Sequence[Step]:
    """The steps up to the staged rows: everything before the first proof of the publication."""
    names = [step.name for step in program.steps]
    return program.steps[: names.index("published_rows")]
