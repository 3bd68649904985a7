"""The files of the dbt package that follow from privacy models and their templates.

    SQLANON_UPDATE_GOLDEN=1 pytest tests/dbt/test_dbt_package.py -n 0

writes them.

`dbt_package/` of the repository holds them, below `macros/generated/`, beside macros that are
written by hand. For every model there is the template as a macro, and a test, a hook that guards
and a proof, which both of them read; the arguments are the parameters of the model's class.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, NamedTuple, get_args, get_origin

from pydantic.fields import FieldInfo

from sqlanon.dbt.promised import APART, test_of
from sqlanon.privacy_models import PRIVACY_MODELS
from sqlanon.privacy_models.base import PrivacyModel
from sqlanon.registry import default_of
from sqlanon.sql.render import shipped

WRITTEN_BY = "generated from sql_templates and sqlanon.privacy_models; change those, not this file"

RELATIONS = ("classes", "class_values", "table_values", "value_levels")
"""Inputs of templates that are relations of these names; in joint mode the first is `parts`."""

NOT_GIVEN = {
    "excess": "false", "shares_persons": "false", "scope": "[]", "table_scope": "[]",
}  # fmt: skip
"""Inputs of templates that only a search gives, with what a proof has in their place."""


def package_files() -> dict[str, str]:
    """The text of every generated file, by its path in the package."""
    shared = ("keys", "comments", "poisson")
    files = {f"macros/generated/{name}.sql": _shared_macros(name) for name in shared}
    joint = ("model_sql", "class_key", "measures", "excess")
    files["macros/generated/joint.sql"] = _macro("privacy_models/_joint.sql", joint)
    promised = [PromisedTest(cls) for cls in PRIVACY_MODELS]
    for each in promised:
        for template in each.templates:
            macro = _macro(template, inputs_of(template))
            files[f"macros/generated/models/{module_of(template)}.sql"] = macro
        files[f"macros/generated/tests/{each.name}.sql"] = _headed(each.text)
    described = "".join(each.description for each in promised)
    files["macros/generated/macros.yml"] = f"# {WRITTEN_BY}\nmacros:\n{described}"
    sections = "\n".join(each.section for each in promised)
    files["TESTS.md"] = f"<!-- {WRITTEN_BY} -->\n\n{_TESTS}\n{sections}"
    return files


def _text(template: str) -> str:
    """A template with what it includes, and with the blank lines that only dbt would leave."""
    text = (shipped("sql_templates") / template).read_text(encoding="utf-8")
    text = re.sub(r'{% include "(.*?)" %}\n', lambda found: _text(found[1]), text)
    return re.sub(r"^ *{% (?!call|endcall|macro)(.*)%}$", r"{%- \1%}", text, flags=re.M)


def inputs_of(template: str) -> list[str]:
    """The inputs that a template declares in its first line."""
    found = re.match(r"{#-\s*inputs: (.*?)\s*-#}", _text(template))
    flat = re.sub(r"\[[^\[\]]*\]", "", found[1]) if found else ""
    return [part.split()[0] for part in flat.split(",") if part.strip()]


def _macro(template: str, arguments: Sequence[str]) -> str:
    """The macro that renders as a template does: the template between two lines."""
    body = _text(template).partition("-#}\n")[2]
    given = ", ".join(f"{each}={NOT_GIVEN.get(each, 'none')}" for each in arguments)
    return _headed(f"{{% macro {module_of(template)}_sql({given}) -%}}\n{body}{{%- endmacro %}}\n")


def _shared_macros(name: str) -> str:
    """The macros that templates share, such as `keys_join`, which is `join` of `_keys.sql`."""
    return _headed(re.sub(r"{% macro ", f"{{% macro {name}_", _text(f"_{name}.sql")))


def module_of(template: str) -> str:
    """The name of a template in names of macros."""
    return template.rpartition("/")[2].removeprefix("_").removesuffix(".sql")


_TESTS = """\
# The tests

Every test also has a macro `guard_…` with the same arguments, for a `pre_hook`.
[README.md](README.md) describes how tests and guards are used, and which arguments they share.
"""


def _headed(text: str) -> str:
    return f"{{# {WRITTEN_BY} #}}\n{text}"


class Argument(NamedTuple):
    """An argument of a test: its default in Jinja, its type in dbt, what it is, a call that refuses
    what it may not be, and a value of it, where it must be given."""

    name: str
    default: str
    kind: str
    reported: str
    check: str = ""
    example: str = ""


def parameter(cls: type[PrivacyModel], test: str, name: str) -> Argument:
    """The argument for a field of a model."""
    field = cls.model_fields[name]
    reported = field.description or _described(field)
    common = f'"{test}", "{name}", {name}'
    example = str(cls.reference_bounds[0].get(name, "")) if field.is_required() else ""
    if get_origin(field.annotation) is Literal:
        choices = list(get_args(field.annotation))
        check = f"check_choice({common}, {json.dumps(choices)})"
        return Argument(name, json.dumps(field.default), "string", reported, check, example)
    if get_origin(field.annotation) is tuple:
        return Argument(name, "[]", "list[string]", reported, f"check_list({common})", example)
    is_whole = int in (field.annotation, *get_args(field.annotation))
    found = _bounds(field)
    words = [f"{_WORDS[key]} {Decimal(str(value)):,f}" for key, value in sorted(found.items())]
    expected = json.dumps(f"a {'whole ' * is_whole}number, {' and '.join(words)}")
    bounds = ", ".join(f"{key}={value}" for key, value in found.items())
    bounds += ", whole=true" * is_whole
    if not field.is_required() and field.default is None:
        bounds += ", optional=true"
    default = "none" if field.default is None or field.is_required() else str(field.default)
    check = f"check_number({common}, {expected}, {bounds})"
    return Argument(name, default, "integer" if is_whole else "float", reported, check, example)


_WORDS = {"gt": "above", "ge": "at least", "lt": "below", "le": "at most"}


def _bounds(field: FieldInfo) -> dict[str, Any]:
    """The bounds of a number: `gt`, `ge`, `lt`, `le`; the closest of each."""
    found: dict[str, Any] = {}
    for each in _metadata(field):
        for key in _WORDS:
            value = getattr(each, key, None)
            if value is not None:
                closest = max if key in ("gt", "ge") else min
                found[key] = closest(found.get(key, value), value)
    return found


def _inner(field: FieldInfo) -> Iterator[Any]:
    """What is said of the values of `… | None`."""
    for inner in get_args(field.annotation):
        yield from getattr(inner, "__metadata__", ())


def _metadata(field: FieldInfo) -> Iterator[Any]:
    yield from field.metadata
    for each in _inner(field):
        yield from getattr(each, "metadata", [each])


def _described(field: FieldInfo) -> str:
    found = (e.description for e in _inner(field) if isinstance(e, FieldInfo) and e.description)
    return next(found, "")


@dataclass(frozen=True)
class PromisedTest:
    """The test of a privacy model, derived from its class."""

    cls: type[PrivacyModel]

    @property
    def name(self) -> str:
        """The name of the test."""
        return test_of(default_of(self.cls, "model"))

    @property
    def variants(self) -> dict[Any, PrivacyModel]:
        """A model for each value of the field that chooses the template; one if none does."""
        made = [self.cls.model_validate(given) for given in self.cls.reference_bounds]
        if self.chooser is None:
            return {None: made[0]}
        return {getattr(model, self.chooser): model for model in made}

    @property
    def chooser(self) -> str | None:
        """The field that chooses the template."""
        made = [self.cls.model_validate(given) for given in self.cls.reference_bounds]
        if len({model.template for model in made}) == 1:
            return None
        (found,) = [
            name
            for name, field in self.cls.model_fields.items()
            if name != "model"
            and get_origin(field.annotation) is Literal
            and len({getattr(model, name) for model in made}) == len(made)
        ]
        return found

    @property
    def templates(self) -> list[str]:
        """The templates, one for each variant."""
        return [model.template for model in self.variants.values()]

    def _where(self, flag: str) -> str:
        """For which variants a property of the model is true, as a condition of Jinja."""
        true = [value for value, model in self.variants.items() if getattr(model, flag)]
        if len(true) in (0, len(self.variants)):
            return str(bool(true)).lower()
        return " or ".join(f'{self.chooser} == "{value}"' for value in true)

    @property
    def parameters(self) -> list[Argument]:
        """The parameters of the model, those that must be given first."""
        found = [
            parameter(self.cls, self.name, name)
            for name in self.cls.model_fields
            if name not in APART
        ]
        return sorted(found, key=lambda each: not each.example)

    @property
    def arguments(self) -> list[Argument]:
        """All arguments but the dbt model, in the order in which they are given."""
        fields, test, found = self.cls.model_fields, f'"{self.name}"', list[Argument]()

        def add(
            name: str, kind: str, what: str, check: str = "", *of: Any, example: str = ""
        ) -> None:
            default = {"list[string]": "[]", "boolean": "false"}.get(kind, "none")
            given = ", ".join((test, f'"{name}"', name, *of))
            call = f"{check}({given})" if check else ""
            found.append(Argument(name, "none" if example else default, kind, what, call, example))

        add("quasi_identifiers", "list[string]", "the columns that form classes", "check_list", "1",
            example="[sex, born]")  # fmt: skip
        if "attribute" in fields:
            add("attribute", "string", "the sensitive attribute", "check_name", example="diagnosis")
        found += self.parameters
        if "mode" in fields:
            found.append(parameter(self.cls, self.name, "mode"))
            others = "`mode: joint`: the other sensitive attributes"
            add("known", "list[string]", others, "check_list")
        if (where := self._where("needs_value_levels")) != "false":
            tree = f"if `{where}`: a table with the hierarchy of the attribute, one row a value"
            add("hierarchy", "relation", tree)
            levels = "the columns of the hierarchy, from the value to the top"
            add("levels", "list[string]", levels, "check_list")
        if "reference" in fields:
            compared = "the table to compare classes with; the model itself when not given"
            add("table", "relation", compared)
        if self._where("needs_population") == "true":
            example = "ref('population')"
            people = "the population, with the same quasi-identifiers, generalized in the same way"
            add("population", "relation", people, "check_given", f'"{example}"', example=example)
        unit = "a column that identifies persons: they are counted, not rows"
        add("unit", "string", unit, "check_name", "optional=true")
        shown = "show the quasi-identifiers of failing classes, which tell who is at risk"
        add("show_values", "boolean", shown)
        return found

    @property
    def text(self) -> str:
        """The proof, the test and the guard."""
        names = [each.name for each in self.arguments]
        given = ", ".join(["model", *(f"{each.name}={each.default}" for each in self.arguments)])
        passed = ", ".join(["model", *(f"{name}={name}" for name in names)])
        proof = f"{{{{ sqlanon.proof_of_{self.name}({passed}) }}}}"
        call = f'sqlanon.guarded("{self.name}", sqlanon.proof_of_{self.name}({passed}))'
        return f"""\
{{% macro proof_of_{self.name}({given}) -%}}
{self._checks}
{{%- set judged -%}}
{self._judged}
{{%- endset -%}}
with {{{{ sqlanon.relations(model, quasi_identifiers, {self._passed(RELATION_ARGUMENTS)}) }}}}
{{{{ sqlanon.violations(judged, "{self.cls.measure[0]}", quasi_identifiers, {
            self._passed(VIOLATION_ARGUMENTS)
        }) }}}}
{{%- endmacro %}}

{{% test {self.name}({given}) %}}
{proof}
{{% endtest %}}

{{% macro guard_{self.name}({given}) -%}}
{{{{ {call} }}}}
{{%- endmacro %}}
"""

    @property
    def _checks(self) -> str:
        rules = list(self.cls.rules)
        if "mode" in self.cls.model_fields:
            joint = "mode: joint and known, the other sensitive attributes, go together"
            rules.append(("(mode == 'joint') == (known | length > 0)", joint))
        if self.reads_labels:
            fewer = (
                "with fewer than all quasi-identifiers, the persons of several classes cannot be"
                " added up; leave out unit"
            )
            rules.append(("unit is none or size >= quasi_identifiers | length", fewer))
        if (levels := self._where("needs_value_levels")) != "false":
            given = f"({levels}) == (hierarchy is not none and levels | length > 1)"
            together = f"hierarchy, and two levels or more, belong to {levels.replace(' ==', ':')}"
            rules.append((given, together))
        checks = [each.check for each in self.arguments if each.check]
        checks += [
            f'check_rule("{self.name}", {rule}, {json.dumps(reported)})' for rule, reported in rules
        ]
        return "\n".join(f"{{{{- sqlanon.{check} -}}}}" for check in checks)

    @property
    def _judged(self) -> str:
        """The verdicts on all classes, by the macro of the model's template."""
        key, parts = '["class_number"]', '["class_number", "part_number"]'
        is_joint = "mode" in self.cls.model_fields
        sets = f"{{%- set promise = {self._promise} -%}}\n"
        sets += self._labels
        sets += f"{{%- set class_key = {f'{parts} if known else {key}' if is_joint else key} -%}}\n"
        text, word = "", "if"
        for value, model in self.variants.items():
            call = f"{{{{ sqlanon.{module_of(model.template)}_sql({self._inputs(model)}) }}}}"
            line = f'{{%- {word} {self.chooser} == "{value}" -%}}\n'
            text, word = f"{text}{line}{call}\n" if self.chooser else call, "elif"
        if self.chooser:
            text += "{%- endif -%}"
        if not is_joint:
            return sets + text
        measures = json.dumps(dict([self.cls.measure]))
        return f"""\
{sets}{{%- set of_parts -%}}
{text}
{{%- endset -%}}
{{%- if known -%}}
{{{{ sqlanon.joint_sql(model_sql=of_parts, class_key={key}, measures={measures}) }}}}
{{%- else -%}}
{{{{ of_parts }}}}
{{%- endif -%}}"""

    @property
    def reads_labels(self) -> bool:
        """Whether the template reads the labels of classes."""
        return any("labels" in inputs_of(template) for template in self.templates)

    @property
    def _labels(self) -> str:
        """The labels of classes, which are there with those that failures may show."""
        if not self.reads_labels:
            return ""
        return (
            "{%- set shown = namespace(labels=[]) -%}\n{%- for name in quasi_identifiers -%}\n"
            '{%- set shown.labels = shown.labels + ["key_" ~ loop.index] -%}\n{%- endfor -%}\n'
            "{%- set labels = shown.labels -%}\n"
        )

    @property
    def _promise(self) -> str:
        """What the header of the SQL says, as an expression of Jinja."""
        line = (inspect.getdoc(self.cls) or "").partition("\n")[0].rstrip(".")
        shown = [each.name for each in self.parameters if each.example]
        return json.dumps(line) + "".join(
            f' ~ "{", " if number else "; "}{name} = " ~ {name}'
            for number, name in enumerate(shown)
        )

    def _inputs(self, model: PrivacyModel) -> str:
        """What a model's template is given."""
        known = {"source": json.dumps(model.source)} | {name: f'"{name}"' for name in RELATIONS}
        if "mode" in self.cls.model_fields:
            known["classes"] = '"parts" if known else "classes"'
        wanted = [name for name in inputs_of(model.template) if name not in NOT_GIVEN]
        return ", ".join(f"{name}={known.get(name, name)}" for name in wanted)

    def _passed(self, wanted: tuple[str, ...]) -> str:
        """Arguments of a macro that all tests share."""
        fields = self.cls.model_fields
        given = {each.name: each.name for each in self.arguments}
        if "suppressed" in fields:
            given["is_covered"] = 'suppressed == "violation"'
        if self.reads_labels and wanted is RELATION_ARGUMENTS:
            given["show_values"] = "true"
        for name, flag in (("is_number", "needs_numbers"), ("is_ordered", "needs_order")):
            if self._where(flag) != "false":
                given[name] = self._where(flag)
        return ", ".join(f"{name}={given[name]}" for name in wanted if name in given)

    @property
    def description(self) -> str:
        """The test and the guard in the YAML file that documents macros."""
        line = (inspect.getdoc(self.cls) or "").partition("\n")[0]
        model = Argument("model", "", "relation", "the published table")
        rows = "".join(
            f"      - {{name: {each.name}, type: {json.dumps(each.kind)},"
            f" description: {json.dumps(each.reported, ensure_ascii=False)}}}\n"
            for each in [model, *self.arguments]
        )
        return "".join(
            f"  - name: {prefix}_{self.name}\n    description: {json.dumps(line)}\n"
            f"    arguments:\n{rows}"
            for prefix in ("test", "guard")
        )

    @property
    def section(self) -> str:
        """The test on the page of all tests."""
        rows = "".join(
            f"| `{each.name}` | {each.reported} |"
            f" {'required' if each.example else '`' + each.default + '`'} |\n"
            for each in self.arguments
        )
        given = "".join(
            f"        {each.name}: {each.example}\n" for each in self.arguments if each.example
        )
        return f"""\
## {self.name}

{inspect.getdoc(self.cls)}

```yaml
data_tests:
  - sqlanon.{self.name}:
      arguments:
{given}```

| argument | what it is | default |
|---|---|---|
{rows}"""


RELATION_ARGUMENTS = (
    "attribute", "known", "table", "population", "is_covered", "hierarchy", "levels", "unit",
    "is_number", "is_ordered", "show_values",
)  # fmt: skip
"""What the macro `relations` takes."""

VIOLATION_ARGUMENTS = tuple(
    name for name in RELATION_ARGUMENTS if name not in ("attribute", "known", "is_covered")
)
"""What the macro `violations` takes."""
