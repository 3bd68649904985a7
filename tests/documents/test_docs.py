"""What the documents show is what a copy of the examples gives; names and files exist."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml

import sqlanon
from sqlanon.hierarchies import HIERARCHY_KINDS
from sqlanon.methods import METHODS
from sqlanon.privacy_models import PRIVACY_MODELS
from sqlanon.privacy_models.base import PrivacyModel
from sqlanon.registry import default_of
from sqlanon.utility.measures import UTILITY_MEASURES
from tests.conftest import Command
from tests.oracles.class_relations import Class, Judged, Key, Tables, judge, quiet_connection
from tests.paths import ROOT
from tests.support.doc_pages import (
    PAGES,
    all_blocks,
    blocks,
    copied_examples,
    plain,
    read,
    sqlanon_commands,
)

DOCS = ROOT / "docs"
TUTORIAL, PRIVACY_PAGE, SWEEP_PAGE, REVIEW_PAGE, PLAN_PAGE, MODELS_PAGE, INTERNALS_PAGE = (
    DOCS / f"{name}.md"
    for name in ("tutorial", "privacy", "sweep", "review", "plan", "models", "internals")
)
ARCHITECTURE_PAGE = DOCS / "architecture.md"


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> sqlanon.RunResult:
    """The clinic example, run once."""
    folder = copied_examples(tmp_path_factory.mktemp("clinic"))
    return sqlanon.run(folder / "examples/clinic/plan.yml")


@pytest.fixture
def examples(folder: Path) -> Path:
    """A copy of the examples' folder in the current folder."""
    return copied_examples(folder) / "examples/clinic"


def ask(query: str, folder: Path) -> list[Any]:
    """The rows of a query in a bare DuckDB, with file names starting from a folder."""
    with duckdb.connect() as con:
        con.execute(f"set file_search_path = '{folder}'")
        return con.execute(query).fetchall()


# --- what the pages show, done


def test_difference_of_the_review_page(examples: Path, command: Command) -> None:
    """The table that the page shows, after the patients have left that it names."""
    sqlanon.solve(examples / "plan.yml")
    patients = examples / "patients.csv"
    header, *lines = read(patients).splitlines()
    (gone,) = re.findall(r"the first (\d+) patients have left", read(REVIEW_PAGE))
    patients.write_text("\n".join([header, *lines[int(gone) :]]) + "\n", encoding="utf-8")
    files = [str(examples / name) for name in ("plan.yml", "plan.solution.json")]
    done = command("diff", *files, "--solve", columns=200)
    (shown,) = blocks(REVIEW_PAGE, "text")
    assert (done.code, plain(shown) in plain(done.out)) == (0, True)


def test_errors_of_pages_are_the_real_ones(examples: Path, command: Command) -> None:
    override = "privacy=[{model: l-diversity, kind: entropy, l: 30}]"
    assert override.removeprefix("privacy=[").removesuffix("]") in read(MODELS_PAGE)
    done = command("solve", "examples/clinic/plan.yml", "--set", override, columns=200)
    (shown,) = blocks(MODELS_PAGE, "text")
    assert (done.code, plain(done.err)) == (3, plain(shown))
    plan = examples / "plan.yml"
    broken = read(plan).replace("sex: quasi-identifier ", "sex: quasi-identifer ")
    plan.write_text(broken, encoding="utf-8")
    done = command("check", "examples/clinic/plan.yml", columns=200)
    (shown,) = [block for block in blocks(TUTORIAL, "text") if "PlanError" in block]
    assert (done.code, plain(done.err)) == (2, plain(shown))


def test_the_tutorial(clinic: sqlanon.RunResult, examples: Path, command: Command) -> None:
    """Its plan, its SQL, its numbers and its rows are those of the example."""
    plan, text, manifest = examples / "plan.yml", plain(read(TUTORIAL)), clinic.manifest
    (shown,) = blocks(TUTORIAL, "yaml")
    assert sqlanon.load_plan(yaml.safe_load(shown)).sha256 == sqlanon.load_plan(plan).sha256
    (shown,) = blocks(TUTORIAL, "sql")
    assert shown.strip() == read(clinic.target / "release.sql").strip()
    query = shown[shown.index("with source as") :].strip().rstrip(";")
    assert query in read(clinic.target / "sql/program.sql")  # what was read is what is run
    assert f"not {manifest['utility']['loss']:.2f}" in text
    for row in clinic.published.limit(3).fetchall():
        assert plain(f"| {' | '.join(row)} |") in text
    (shown,) = [block for block in blocks(TUTORIAL, "text") if block.startswith("published ")]
    reported = command("run", "examples/clinic/plan.yml").out.splitlines()
    lines = list(filter(None, shown.splitlines()))
    assert [line for line in reported if line in lines] == lines
    (hit,) = re.findall(r"(\d+) of the (\d+) patients born in the 1930s", text)
    assert f"born 1930s {hit[1]} {hit[0]} " in plain(shown)
    (arguments,) = [a for a in sqlanon_commands(TUTORIAL) if "--node" in a]
    pairs = (a.split("=") for a in arguments if re.fullmatch(r"\w+=\d+", a))
    measured = sqlanon.measure(plan, node={name: int(level) for name, level in pairs})
    assert f"a loss of {measured['utility']['loss']:.2f}" in text
    overrides = ["privacy.0.k=10", "publish=patients_k10.parquet"]
    assert all(f"--set {override}" in text for override in overrides)
    manifest = sqlanon.run(plan, sqlanon.Options(overrides=overrides)).manifest
    assert f"smallest class now has {manifest['privacy'][0]['measured']} rows" in text
    assert f"the loss is {manifest['utility']['loss']:.2f}" in text


def test_picture_of_the_readme_shows_real_rows(clinic: sqlanon.RunResult) -> None:
    """One class: its six patients on the left, the same rows published on the right."""
    texts = re.findall("<text[^>]*>([^<]*)", read(DOCS / "overview.svg"))
    place = texts.index("patients_k5.parquet") + 6
    before = [tuple(texts[n : n + 5]) for n in range(7, 37, 5)]
    after = [tuple(texts[n : n + 4]) for n in range(place, place + 24, 4)]
    folder, found = clinic.target.parents[1], clinic.manifest
    named = ask("select name, sex, born, zip, diagnosis from 'patients.csv'", folder)
    assert {*before} <= {tuple(map(str, row)) for row in named}
    assert len({row[1:4] for row in before}) == 6
    rows = ask("select sex, born, zip, diagnosis from 'patients_k5.parquet'", folder)
    assert sorted(after) == sorted(row for row in rows if row[:3] == after[0][:3])
    assert sorted(row[4] for row in before) == sorted(row[3] for row in after)
    assert f"One of {found['solution']['classes']} classes. Proven: k = 5, l = 2." in texts
    assert {f"{found['rows'][name]:,} rows" for name in ("input", "published")} <= {*texts}


def test_mondrian_of_the_tutorial(examples: Path) -> None:
    plan = examples / "mondrian.yml"
    _, folder = sqlanon.compile(plan)
    statement = read(next(folder.glob("[0-9][0-9]_regions.sql")))
    result = sqlanon.run(plan)
    assert read(next(folder.glob("[0-9][0-9]_regions.sql"))) == statement
    parts = re.findall(r"^ +(?:with )?(\w+) as \($", statement, re.MULTILINE)
    own = {"class_values_of_diagnosis", "k_anonymity", "l_diversity"}  # of the models of this plan
    rows_of_parts = table_rows(sections(DOCS / "partitioning.md", "##")["The statement"])
    named = [name for row in rows_of_parts for name in re.findall(r"`(\w+)`", row[0])]
    assert named == [part for part in parts if part not in own]
    manifest, text = result.manifest, plain(read(TUTORIAL))
    rows, classes = manifest["rows"]["published"], manifest["solution"]["classes"]
    assert f"publishes all {rows:,} rows in {classes} classes" in text
    assert f"its loss is {manifest['utility']['loss']:.2f}" in text
    changes: dict[str, Any] = {"columns.marital_status": "identifier"}
    changes |= {f"columns.{name}.weight": 1 for name in ("born", "zip")}
    first = sqlanon.measure(examples / "plan.yml", node={"born": 3, "zip": 2}, overrides=changes)
    assert f"levels of the first plan lose {first['utility']['loss']:.2f}" in text
    labels = result.published.aggregate("sex, born, zip").fetchall()
    assert "`" + ", ".join(min(labels)) + "`" in text


def test_python_of_its_page(folder: Path) -> None:
    """Its blocks run one after the other, as the cells of a notebook."""
    pytest.importorskip("pandas")
    with duckdb.connect("hospital.duckdb") as con:
        con.execute(
            "create table patients as select 'p' || i as name, 20 + i % 9 as age,"
            " ['F', 'M'][1 + i % 2] as sex, 'flu' as diagnosis from range(200) as r (i)"
        )
        con.execute("copy patients to 'patients.csv'")
    names: dict[str, Any] = {}
    for number, block in enumerate(blocks(DOCS / "python.md", "python")):
        exec(compile(block, f"python.md, block {number}", "exec"), names)
    assert set(names["result"].manifest["solution"]["node"]) == {"age", "sex"}
    assert len(names["result"].published.fetchall()) == 200
    assert names["con"].execute("select count(*) from patients_k5").fetchone() == (200,)
    names["con"].close()
    assert {path.name for path in Path("target").iterdir()} == {"patients_k5", "second_notebook"}


def test_what_the_page_on_sweeps_shows(examples: Path, command: Command) -> None:
    """Its first command prints what it says, but for seconds; its Python runs."""
    shown = blocks(SWEEP_PAGE, "text")[0]
    printed = command(*sqlanon_commands(SWEEP_PAGE)[0], columns=200).out.strip()
    seconds = re.compile(r" [\d.]+ \*$")
    both = [[seconds.sub(" *", plain(line)) for line in t.split("\n")] for t in (printed, shown)]
    assert both[0] == both[1][:-1]
    (python,) = blocks(SWEEP_PAGE, "python")
    exec(compile(python, "sweep.md", "exec"), {})


def test_queries_and_rows_of_the_privacy_page(clinic: sqlanon.RunResult, examples: Path) -> None:
    folder, text = clinic.target.parents[1], plain(read(PRIVACY_PAGE))
    too_small, uniform, columns = blocks(PRIVACY_PAGE, "sql")
    assert ask(too_small, folder) == []
    assert ask(too_small.replace("< 5", "< 6"), folder) != []
    found = ask(uniform, folder)
    assert found[0] == ("F", "1930s", "021**", "*", 19, "hypertension", 17 / 19)
    assert re.search(r"\b19 women\b.* 17 have hypertension", text)
    names = [row[0] for row in ask(columns, folder)]
    assert names == ["sex", "born", "zip", "marital_status", "diagnosis", "cost"]
    file = "'patients_k5.parquet'"
    query = f"from {file} where sex = 'M' and born = '1930s' and zip = '018**'"
    assert ask(query, folder) == []
    k_alone = sqlanon.Options(overrides=["privacy=[{model: k-anonymity, k: 5}]"])
    solution = sqlanon.run(examples / "plan.yml", k_alone).manifest["solution"]
    assert solution["node"] == clinic.manifest["solution"]["node"]
    men = ask(query, examples)
    assert (len(men), {row[4] for row in men}) == (5, {"hypertension"})
    assert all(plain(f"| {' | '.join(row)} |") in text for row in men)
    once = ask(f"select cost from {file} group by cost having count(*) = 1", folder)
    assert f"`cost` has {len(once)} values that occur once" in text


PARTS = {
    "source": "people.csv",
    "columns": {
        **dict.fromkeys(("sex", "zip", "born", "age"), "quasi-identifier"),
        **dict.fromkeys(("diagnosis", "salary"), "sensitive"),
        **dict.fromkeys(("cost", "remark"), "insensitive"),
    },
    "privacy": [{"model": "k-anonymity", "k": 5}],
    "publish": "people_k5.parquet",
}
"""What completes a plan of which a page shows a part."""

NOT_PLANS = {"packages", "models", "data_tests", "drugs"}
"""Keys of YAML that is no plan: of files of dbt, and the tables whose numbers are computed."""


def test_every_plan_of_a_page_is_sound() -> None:
    """The page of plans has an example of every kind of hierarchy; a taxonomy is a text."""
    places, kinds = Counter[str](), {"taxonomy"}
    for page in PAGES:
        for block in (each for each in all_blocks(page) if each.language == "yaml"):
            is_inside = block.text.startswith(" ")  # begins among the columns
            shown = yaml.safe_load(f"columns:\n{block.text}" if is_inside else block.text)
            if shown.keys() & NOT_PLANS:
                continue
            plan = sqlanon.load_plan({**PARTS, **shown})
            places[page.name] += 1
            if page == PLAN_PAGE:
                kinds |= {column.hierarchy.key for column in plan.quasi_identifiers.values()}
    assert (places["plan.md"], places["engines.md"]) == (6, 2)
    assert HIERARCHY_KINDS.keys() <= kinds, "docs/plan.md has no example of a kind"


# --- the page of models: every model, every parameter, every number


def table_rows(text: str) -> Iterator[list[str]]:
    """The cells of every line of a Markdown table, without those that draw it."""
    for line in text.splitlines():
        if line.startswith("|") and not line.startswith("|---"):
            yield [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def sections(page: Path, level: str) -> dict[str, str]:
    """The text below each heading of a level, up to the next heading of it or of a higher one."""
    parts = re.split(rf"^{level} (.*)$", read(page), flags=re.MULTILINE)
    ends = re.compile(rf"^#{{1,{len(level)}}} ", re.MULTILINE)
    return {
        title.strip("`"): re.split(ends, text)[0]
        for title, text in zip(parts[1::2], parts[2::2], strict=True)
    }


def variants(cls: type[PrivacyModel]) -> Iterator[tuple[str, PrivacyModel]]:
    """The variants of a model as the first table of the page writes them, and one of each."""
    for bounds in cls.reference_bounds:
        model = cls.model_validate(bounds)
        for name in ("kind", "distance", "absent", "share"):
            if name not in cls.model_fields:
                continue
            values = [getattr(model, name)]
            if name == "kind" and cls.__name__ == "BetaLikeness":
                values = ["basic", "enhanced"]
            if name == "share":
                values = [0, 0.1]
            for value in values:
                yield f"`{name}: {value}`", cls.model_validate({**bounds, name: value})
            break
        else:
            yield "", model


def test_every_model_and_parameter_has_its_place_on_the_models_page() -> None:
    """The first table says what the models say."""
    said = {
        (row[0], row[1]): row[2:]
        for row in table_rows(sections(MODELS_PAGE, "##")["All models"])
        if row[0] != "model"
    }
    found = sections(MODELS_PAGE, "###")
    real = {}
    for cls in PRIVACY_MODELS:
        text = found[default_of(cls, "model")]
        assert text.strip().startswith("*"), f"{cls.__name__} begins with no promise"
        for name in cls.model_fields.keys() - {"model", "attribute", "mode"}:
            assert re.search(rf"`{name}\b", text), f"docs/models.md, {cls.__name__}: no {name}"
        authors, year = re.findall(r"^(\w+).*?(\d{4})", cls.source)[0]
        assert {authors, year} <= {*re.findall(r"\w+", text.split("Source: ")[1])}, cls.__name__
        for variant, model in variants(cls):
            column, aggregate = model.deciding_measure
            flags = (model.monotone_under_generalization, model.monotone_under_suppression)
            real[f"`{model.model}`", variant] = [
                f"{'smallest' if aggregate == 'min' else 'largest'} `{column}`",
                *("yes" if flag else "no" for flag in flags),
            ]
    assert list(found) == [default_of(cls, "model") for cls in PRIVACY_MODELS]
    assert said == real, "docs/models.md, All models, says something else than the code"


def judged(model: PrivacyModel, example: dict[str, Any]) -> dict[str, Judged]:
    """What a model says of every class of an example of the models page."""
    levels = example.get("levels", {})
    classes: dict[Key, Class] = {}
    for name in example.keys() - {"levels"}:
        counted = example[name]
        if "population" in counted:
            classes["", name] = Class(("any",) * counted["rows"], counted["population"])
        else:
            classes["", name] = Class(tuple(map(str, Counter(dict(counted)).elements())))
    table = classes.pop(("", "table"), None)
    tables = Tables(
        classes,
        reference=None if table is None else {"": table.values},
        tree={value: (value, *labels) for value, labels in levels.items()},
    )
    with quiet_connection() as con:
        return {str(name): found for (_, name), found in judge(con, model, tables).items()}


def test_numbers_of_the_models_page_are_computed() -> None:
    (shown,) = blocks(MODELS_PAGE, "yaml")
    examples = yaml.safe_load(shown)
    models = {default_of(cls, "model"): cls for cls in PRIVACY_MODELS}
    computed: set[tuple[str, str]] = set()
    header: list[str] = []
    for row in table_rows(read(MODELS_PAGE)):
        if row[0] in examples:
            header = row
        elif row[0].startswith("`{model:"):
            entry = yaml.safe_load(row[0].strip("`"))
            found = judged(models[entry["model"]].model_validate(entry), examples[header[0]])
            assert set(found) == set(header[1:])
            for name, cell in zip(header[1:], row[1:], strict=True):
                measure, satisfied = found[name][:2]
                number = f"{measure:.4f}".rstrip("0").rstrip(".").replace("inf", "infinity")
                assert cell == f"{number}, {'holds' if satisfied else 'fails'}", (row[0], name)
                computed.add((header[0], number))
    assert len(computed) >= 25
    for example, number in (
        ("drugs", "2.3811"), ("drugs", "2.7495"), ("drugs", "0.4167"), ("salaries", "0.375"),
        ("salaries", "0.1667"), ("shares of P", "0.05"), ("shares of P", "0.15"),
        ("shares of R", "0.2"), ("ages", "0.75"), ("ages", "0.8333"),
    ):  # fmt: skip
        assert (example, number) in computed


# --- everything that exists, named


def test_every_method_and_measure_is_on_the_plan_page() -> None:
    text = read(PLAN_PAGE)
    for cls in (*METHODS, *UTILITY_MEASURES):
        name = default_of(cls, "name")
        assert f"| `{name}` |" in text, f"docs/plan.md lacks a row of {name}"


def schema_parts(part: Any) -> Iterator[dict[str, Any]]:
    """Every mapping inside a JSON Schema."""
    if isinstance(part, dict):
        yield part
        for inner in part.values():
            yield from schema_parts(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from schema_parts(inner)


def test_every_key_and_value_of_a_plan_is_on_the_plan_page() -> None:
    """Or on that of keys, of privacy models, or of attacks."""
    text = "".join(read(DOCS / f"{name}.md") for name in ("plan", "keys", "models", "attacks"))
    words: dict[str, set[str]] = {"key": set(), "value": set()}
    for part in schema_parts(sqlanon.schema()):
        if isinstance(part.get("properties"), dict):
            words["key"].update(part["properties"])
        listed = [*part.get("enum", []), part.get("const")]
        words["value"].update(value for value in listed if isinstance(value, str))
    for kind, pattern in (("key", "`{0}`|\\b{0}:"), ("value", "(?<![\\w-]){0}(?![\\w-])")):
        assert len(words[kind]) >= 45
        for word in words[kind]:
            assert re.search(pattern.format(word), text), f"no page says anything of {kind} {word}"


def test_every_key_of_the_manifest_is_on_the_page_of_files(clinic: sqlanon.RunResult) -> None:
    """But for measures, which are on the plan page."""
    section = sections(DOCS / "files.md", "##")["The manifest"]
    rows = {row.split("|")[1]: row for row in section.splitlines() if row.startswith("| `")}
    measures = {("utility", default_of(cls, "name").replace("-", "_")) for cls in UTILITY_MEASURES}
    checked = 0
    for key, value in clinic.manifest.items():
        row = next(r for first, r in rows.items() if f"`{key}`" in first)
        inner = value[0] if isinstance(value, list) else value
        for name in inner if isinstance(inner, dict) else ():
            assert f"`{name}`" in row or (key, name) in measures, f"{key}.{name}"
            checked += 1
    assert checked >= 30


# --- what is named, existing


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", read(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


def test_links_resolve() -> None:
    checked = 0
    for page in PAGES:
        for link in re.findall(r"\]\(([^)\s]+)\)", read(page)):
            if "://" in link:
                continue
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            assert target.exists(), f"{page.name}: {link}"
            assert not anchor or anchor in anchors(target), f"{page.name}: {link}"
            checked += 1
    assert checked >= 20


@pytest.mark.parametrize(("page", "count"), [(ARCHITECTURE_PAGE, 35), (INTERNALS_PAGE, 8)])
def test_files_of_the_pages_for_developers_exist(page: Path, count: int) -> None:
    named = re.findall(
        r"`((?:sqlanon|sql_templates|docs|tests)/[\w./]*|\w+\.(?:md|toml))`", read(page)
    )
    assert len(named) >= count
    named += [f"sql_templates/{name}" for name in re.findall(r"`(\w+/\w+\.sql)`", read(page))]
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_steps_and_bits_of_the_pages_for_developers(
    clinic: sqlanon.RunResult, examples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the clinic, and of its program that packs keys and searches by itself."""
    monkeypatch.chdir(examples)
    characters = "columns.zip.hierarchy={mask: {side: right, characters: 5}}"  # else the data tells
    program, _ = sqlanon.compile("plan.yml", sqlanon.Options(overrides=(characters,)))
    section = read(ARCHITECTURE_PAGE).split("## A run, in order")[1].split("\n## ")[0]
    steps = {path.stem.partition("_")[2] for path in (clinic.target / "sql").glob("*_*.sql")}
    steps |= {step.name for step in program.steps}
    # the release of the clinic joins no table of labels, and is one query
    others = {"proof_of_labels", "published_classes", "ordered_rows", "compile_program", "copy",
              "prove_no_identifier_flows"}  # fmt: skip
    assert {*re.findall(r"`([a-z_]+)`", section)} <= steps | others
    with duckdb.connect() as con:
        con.execute(program.sql)
        levels = con.execute(
            "select bits, shift, mask from sqlanon.level_codes"
            " inner join sqlanon.level_bits using (attribute, level)"
            " where attribute = 'zip' and bits > 0 order by level desc"
        ).fetchall()
        of_zip = "select value, key_1 from sqlanon.value_codes where attribute = 'zip'"
        keys = dict(con.execute(of_zip).fetchall())

    def shown(number: int) -> str:
        parts = (f"{(number >> at) & ((1 << bits) - 1):0{bits}b}" for bits, at, _ in levels)
        return " | ".join(parts)

    text, mask = read(INTERNALS_PAGE), levels[2][2]
    assert f"| bits | {' | '.join(str(bits) for bits, *_ in levels)} |" in text
    for value in ("02156", "02113"):
        assert f"| {value} | {shown(keys[value])} |" in text
        assert f"| either value & mask | {shown(keys[value] & mask)} |" in text
    assert f"| mask of level 2 | {shown(mask)} |" in text
    assert f"bits from bit {levels[-1][1]} of the key on" in text


def test_no_page_names_a_machine() -> None:
    for page in [*PAGES, ROOT / ".ci/run", ROOT / "examples/clinic/plan.yml"]:
        assert not re.search(r"(?<![\w.$}>])/(?:work|opt|home|tmp|root|usr/(?!bin/env))\b",
                             read(page)), page.name  # fmt: skip
    assert len(PAGES) >= 7
