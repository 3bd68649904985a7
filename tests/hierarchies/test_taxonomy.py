"""Hierarchies from taxonomies: what a file means, every fault in one, and whole runs.

A tree is written to a file; what SQL makes of the file is compared with a parser of a few lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sqlanon
from sqlanon.errors import HierarchyError, PlanError
from sqlanon.hierarchies.taxonomy import FoundTaxonomy, Taxonomy
from sqlanon.plan.file import load_plan
from sqlanon.source import hierarchy_files
from sqlanon.source.hierarchy_files import resolve_hierarchies
from tests.hierarchies.test_hierarchies import plan_of
from tests.hierarchies.test_hierarchies import shown as shown_by
from tests.selection import examples

WORK = """\
*: Gov, Private, Unpaid
Gov: Federal-gov, State-gov, Local-gov
Unpaid: Without-pay, Never-worked
"""
GOV, UNPAID = ("Federal-gov", "Local-gov", "State-gov"), ("Never-worked", "Without-pay")
ROWS = sorted(
    [("Private", "Private", "*"), *((leaf, "Gov", "*") for leaf in GOV),
     *((leaf, "Unpaid", "*") for leaf in UNPAID)]
)  # fmt: skip


SOURCE = ["Federal-gov", "State-gov", *["Private"] * 3, *UNPAID, "Local-gov"]
TREE = {"taxonomy": "work.txt"}


def shown(content: str, values: Iterable[str]) -> list[tuple[Any, ...]]:
    """The levels of the values, from level 0 to the top, by a taxonomy of this content."""
    Path("work.txt").write_bytes(content.encode())
    return sorted(shown_by(TREE, values))


def test_names_are_taken_as_they_are(folder: Path) -> None:
    content = "any one: \"a, 'b', Zoë\nZoë: 東 京, 10:30, #1, c\\n, {x}, NULL, \x1f, it's; %\n"
    leaves = ("東 京", "10:30", "#1", "c\\n", "{x}", "NULL", "\x1f", "it's; %")
    wanted = [(leaf, "Zoë", "any one") for leaf in leaves]
    wanted += [(leaf, leaf, "any one") for leaf in ('"a', "'b'")]
    assert shown(content, ['"a', "10:30", "it's; %"]) == sorted(wanted)


def test_a_taxonomy_of_a_hundred_levels_and_a_long_line(folder: Path) -> None:
    content = "".join(f"n{n}: n{n + 1}, m{n + 1}\n" for n in range(100))
    rows = shown(content, ["n100", "m1"])
    assert len(rows) == 101
    assert {len(row) for row in rows} == {101}
    assert ("m1", *["m1"] * 99, "n0") in rows
    assert tuple(f"n{n}" for n in range(100, -1, -1)) in rows
    leaves = [f"leaf number {n}" for n in range(100_000)]
    content = f"*: {', '.join(leaves)}\n"
    assert len(content) > 1_800_000
    assert shown(content, leaves[-1:]) == sorted((leaf, "*") for leaf in leaves)


# Against a parser of a few lines

names = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters=",:#\ufeff"),
    min_size=1,
    max_size=6,
).map(lambda name: name.strip(" "))
blanks = st.text(" \t", max_size=2)


@st.composite
def trees(draw: st.DrawFn) -> str:
    """A taxonomy: each node but the first stands below an earlier one, lines in any order."""
    labels = draw(st.lists(names.filter(bool), min_size=2, max_size=25, unique=True))
    children: dict[str, list[str]] = {}
    for place, label in enumerate(labels[1:]):
        children.setdefault(labels[draw(st.integers(0, place))], []).append(label)
    lines = []
    for parent, below in draw(st.permutations(list(children.items()))):
        lines += draw(st.lists(st.sampled_from(["", " \t", "# a: b", " #"]), max_size=1))
        padded = [draw(blanks) + name + draw(blanks) for name in (parent, *below)]
        lines.append(f"{padded[0]}:{','.join(padded[1:])}")
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    lines += draw(st.sampled_from([[], [""]]))
    return draw(st.sampled_from(["", "\ufeff"])) + end.join(lines)


def parsed(content: str) -> list[tuple[str, ...]]:
    """Per leaf its ancestors, the root last, as many as of the deepest leaf."""
    above: dict[str, str] = {}
    for line in re.split("\r\n|\r|\n", content.removeprefix("\ufeff")):
        parent, _, children = line.partition(":")
        if line.strip(" \t")[:1] not in ("", "#"):
            above |= {child.strip(" \t"): parent.strip(" \t") for child in children.split(",")}
    paths = []
    for leaf in above.keys() - set(above.values()):
        path = [leaf]
        while path[-1] in above:
            path.append(above[path[-1]])
        paths.append(path)
    deepest = max(map(len, paths))
    return sorted((path[0],) * (deepest - len(path)) + tuple(path) for path in paths)


@examples(150)
@given(content=trees())
def test_random_trees(content: str, folder: Path) -> None:
    wanted = parsed(content)
    assert shown(content, [wanted[0][0], wanted[-1][0]]) == wanted
    (hierarchy,) = resolve_hierarchies(load_plan(plan_of(TREE, ["a"])), None).values()
    assert hierarchy.level_count == len(wanted[0])


# Faults in a file

FAULTS = [
    (b"", "is empty.", "parent: child"),
    (b"\n \n# secret: secret1\n", "is empty.", "parent: child"),
    (b"*: secret1\nsecret1 - secret2\n", "2 has no colon.", "`parent: child"),
    (b"*: secret1\nsecret1: \t\n", "2 names no child.", "leave the line out"),
    (b"\n: secret1\n", "2 has an empty name before the colon.", "the name"),
    (b"*: secret1, ,secret2\n", "1 has an empty name as child number 2.", "no comma at the end"),
    (b"*: ,\n", "1 has an empty name as child number 1.", "one name"),
    (b"*: secret1\n\n*: secret2\n", "3 begins with the same node as line 1.", "in one line"),
    (b"*: secret1, secret2 , secret1\n",
     "1 has the same node as child number 1 and number 3.", "remove one of them"),
    (b"*: secret1, secret2\nsecret1: secret3\nsecret2: secret4, secret3\n",
     "3 has as child number 2 a node that is child number 1 of line 2, so the node has two"
     " parents.",
     "one of the two lines"),
    (b"*: secret1\n\nsecret2: secret3\nsecret4: secret5\n",
     "3 begins with a node that is not a child, as does line 1; a tree has one root.",
     "a root such as `*`"),
    (b"secret: secret\n", "1 begins with a node that is below itself.", "children in line 1"),
    (b"*: secret1\nsecret1: secret2\nbelow: leaf\nsecret3: below, secret4\nsecret4: secret3\n",
     "4 begins with a node that is below itself.", "from the children in line 5"),
    (b"\xef\xbb\xbf*: secret1\r\n\xff: secret\r\n", "2 is not UTF-8.", "save the file as UTF-8"),
    ("*: secret\n".encode("utf-16-le"), "1 contains a NUL character.", "plain text"),
    (b"*: secret1\nsecret1: secret2\r\nsecret2: secret3\n",
     "2 ends with a different line break than line 1.", "the same line breaks"),
    (b"*: secret1\nsecret1: " + b"secret" * 320_000, "2 has more than 1,900,000 bytes.", "CSV"),
    ("".join(f"secret{n}: secret{n + 1}\n" for n in range(101)).encode(),
     "101 gives children to a node 100 levels below the root.", "leave out"),
]  # fmt: skip
"""Content, what is said of which line, and what to do."""


@pytest.mark.parametrize(("content", "what", "fix"), FAULTS, ids=range(len(FAULTS)))
def test_a_file_that_is_no_tree_is_reported_by_line_and_names_no_label(
    content: bytes, what: str, fix: str, folder: Path
) -> None:
    (folder / "work.txt").write_bytes(content)
    with pytest.raises(HierarchyError) as caught:
        Taxonomy(taxonomy="work.txt").looked_at(folder / "work.txt", "work.txt", "here")
    line, _, rest = what.partition(" ")
    ours = (f"Line {line} of 'work.txt' {rest}", f"The taxonomy file 'work.txt' {what}")
    assert caught.value.what in ours
    assert caught.value.where == "here"
    assert fix in caught.value.fix
    assert "secret" not in str(caught.value)


TEXTS = st.one_of(
    st.text("ab:,# \t\n\r\0\ufeffé", max_size=30),
    st.lists(st.sampled_from(["a:b, c", "b:e", "c:h", "c:a", "e:\tf , g", "#"]), unique=True).map(
        "\n".join
    ),
)


@settings(max_examples=150)
@given(content=st.one_of(TEXTS.map(str.encode), st.binary(max_size=30)))
def test_any_file_is_a_taxonomy_or_a_fault(content: bytes, folder: Path) -> None:
    """What Python takes for a tree, SQL reads as one of as many levels, and as sound."""
    (folder / "work.txt").write_bytes(content)
    try:
        hierarchy = Taxonomy(taxonomy="work.txt").looked_at(folder / "work.txt", "work.txt", "here")
    except HierarchyError:
        return
    (fault,) = sqlanon.check_hierarchies(plan_of(TREE, ["no such leaf"]))
    assert (fault.problem, fault.affected) == ("source rows hold a value without a row", 1)
    rows = sqlanon.show_hierarchy(plan_of(TREE, ["no such leaf"]), "a")
    assert {len(row) for row in rows} == {hierarchy.level_count}


# Finding the file


def test_a_file_that_is_missing_or_cannot_be_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(PlanError, match="was not found") as caught:
        sqlanon.check(plan_of({"taxonomy": "other.txt"}, ["a"]))
    assert "check the path" in caught.value.fix
    (folder / "workclass.txt").write_text(WORK, "utf-8")
    (folder / "workclas.csv").write_text("a;*\n", "utf-8")
    with pytest.raises(PlanError, match=r"'workclas.txt' was not found in the plan's") as caught:
        sqlanon.check(plan_of({"taxonomy": "workclas.txt"}, ["a"]))
    assert caught.value.where == "columns.a.hierarchy"
    assert caught.value.fix == "Did you mean 'workclass.txt'?"

    def refuse(path: Path) -> bytes:
        raise PermissionError(path)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(PlanError, match=r"'workclass.txt' cannot be read"):
        sqlanon.check(plan_of({"taxonomy": "workclass.txt"}, ["a"]))


def test_a_shipped_taxonomy_is_copied_and_one_beside_the_plan_wins(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "ours/jobs").mkdir(parents=True)
    (folder / "ours/jobs/work.txt").write_text(WORK, "utf-8")
    monkeypatch.setattr(hierarchy_files, "shipped", lambda name: folder / "ours")
    plan = plan_of({"taxonomy": "jobs/work.txt"}, ["Private", "Private"])
    assert sorted(sqlanon.show_hierarchy(plan, "a")) == ROWS
    assert (folder / "target/out/hierarchies/jobs/work.txt").read_text("utf-8") == WORK
    (found,) = resolve_hierarchies(load_plan(plan), folder / "made/copies").values()
    assert found == FoundTaxonomy(taxonomy="made/copies/jobs/work.txt", levels=3)
    with pytest.raises(PlanError, match="was not found") as caught:
        sqlanon.check(plan_of({"taxonomy": "jobs/wrok.txt"}, ["a"]))
    assert caught.value.fix == "Did you mean 'jobs/work.txt'?"
    (folder / "jobs").mkdir()
    (folder / "jobs/work.txt").write_text("all: Private\n", "utf-8")
    assert sqlanon.show_hierarchy(plan, "a") == [("Private", "all")]


# Whole runs


def test_a_run_and_a_program_that_reads_the_file_and_holds_no_label(folder: Path) -> None:
    (folder / "it's work.txt").write_text(WORK, "utf-8")
    plan = plan_of({"taxonomy": "it's work.txt"}, SOURCE)
    result = sqlanon.run(plan)
    assert result.manifest["solution"]["node"] == {"a": 1}
    # 5 of 8 rows are in groups of 3 and 2 of 6 leaves, and 3 rows stay as they are.
    assert result.manifest["utility"]["loss"] == pytest.approx((3 * 3 / 6 + 2 * 2 / 6) / 8)
    program, _ = sqlanon.compile(plan)
    assert "'it''s work.txt'" in program.sql
    assert not re.search(r"Gov|Private|Unpaid|Never-worked", program.sql)
    for _ in ("run", "program"):
        rows = duckdb.execute("select a, count(*) from 'out.parquet' group by a").fetchall()
        assert dict(rows) == {"Gov": 3, "Private": 3, "Unpaid": 2}
        Path("out.parquet").unlink()
        with duckdb.connect() as shell:
            shell.execute(program.sql)


def test_a_value_without_a_leaf_stops_the_run(folder: Path) -> None:
    """Be it an inner node, the root, in another case, or with spaces, which are not trimmed."""
    (folder / "work.txt").write_text(WORK, "utf-8")
    values = ["secret", "Gov", "*", " Private", "private"]
    with pytest.raises(HierarchyError) as caught:
        sqlanon.run(plan_of(TREE, [*SOURCE, *values]))
    assert "a, level 0: source rows hold a value without a row (5)" in caught.value.what
    assert "secret" not in str(caught.value)
    assert not (folder / "out.parquet").exists()


def test_a_file_that_changed_after_it_was_looked_at_stops_the_program(folder: Path) -> None:
    (folder / "work.txt").write_text(WORK, "utf-8")
    plan = plan_of(TREE, SOURCE)
    sqlanon.solve(plan)
    program, _ = sqlanon.compile(plan)
    for changed in (
        WORK + "Private: Farm, Shop\n",
        WORK + "State-gov: Private\n",
        WORK.replace("Unpaid: ", "Never-worked: Never-worked, "),
        "",
    ):
        (folder / "work.txt").write_text(changed, "utf-8")
        with duckdb.connect() as shell, pytest.raises(duckdb.Error, match="proof_of_labels"):
            shell.execute(program.sql)
    assert not (folder / "out.parquet").exists()
    # Another tree in the file: every value has its one label as before, and `run` refuses the file.
    (folder / "work.txt").write_text(WORK + "Everyone: Somebody\n", "utf-8")
    with duckdb.connect() as shell:
        shell.execute(program.sql)
    (folder / "out.parquet").unlink()
    with pytest.raises(HierarchyError):
        sqlanon.run(plan)
