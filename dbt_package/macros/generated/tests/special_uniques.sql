{# generated from sql_templates and sqlanon.privacy_models; change those, not this file #}
{% macro proof_of_special_uniques(model, quasi_identifiers=none, size=none, unit=none, show_values=false) -%}
{{- sqlanon.check_list("special_uniques", "quasi_identifiers", quasi_identifiers, 1) -}}
{{- sqlanon.check_number("special_uniques", "size", size, "a whole number, at least 1 and at most 1,000,000,000", le=1000000000, ge=1, whole=true) -}}
{{- sqlanon.check_name("special_uniques", "unit", unit, optional=true) -}}
{{- sqlanon.check_rule("special_uniques", unit is none or size >= quasi_identifiers | length, "with fewer than all quasi-identifiers, the persons of several classes cannot be added up; leave out unit") -}}
{%- set judged -%}
{%- set promise = "No row is alone on `size` of its quasi-identifiers, nor on fewer" ~ "; size = " ~ size -%}
{%- set shown = namespace(labels=[]) -%}
{%- for name in quasi_identifiers -%}
{%- set shown.labels = shown.labels + ["key_" ~ loop.index] -%}
{%- endfor -%}
{%- set labels = shown.labels -%}
{%- set class_key = ["class_number"] -%}
{{ sqlanon.special_uniques_sql(classes="classes", class_key=class_key, labels=labels, unit=unit, size=size, promise=promise, source="Elliot, Manning and Ford 2002, a computational algorithm for special uniques") }}
{%- endset -%}
with {{ sqlanon.relations(model, quasi_identifiers, unit=unit, show_values=true) }}
{{ sqlanon.violations(judged, "unique_sets", quasi_identifiers, unit=unit, show_values=show_values) }}
{%- endmacro %}

{% test special_uniques(model, quasi_identifiers=none, size=none, unit=none, show_values=false) %}
{{ sqlanon.proof_of_special_uniques(model, quasi_identifiers=quasi_identifiers, size=size, unit=unit, show_values=show_values) }}
{% endtest %}

{% macro guard_special_uniques(model, quasi_identifiers=none, size=none, unit=none, show_values=false) -%}
{{ sqlanon.guarded("special_uniques", sqlanon.proof_of_special_uniques(model, quasi_identifiers=quasi_identifiers, size=size, unit=unit, show_values=show_values)) }}
{%- endmacro %}
