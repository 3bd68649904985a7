{# generated from sql_templates and sqlanon.privacy_models; change those, not this file #}
{% macro proof_of_delta_disclosure(model, quasi_identifiers=none, attribute=none, delta=none, absent="violation", mode="each", known=[], table=none, unit=none, show_values=false) -%}
{{- sqlanon.check_list("delta_disclosure", "quasi_identifiers", quasi_identifiers, 1) -}}
{{- sqlanon.check_name("delta_disclosure", "attribute", attribute) -}}
{{- sqlanon.check_number("delta_disclosure", "delta", delta, "a number, above 0.000000001 and at most 64", le=64, gt=1E-9) -}}
{{- sqlanon.check_choice("delta_disclosure", "absent", absent, ["violation", "ignore"]) -}}
{{- sqlanon.check_choice("delta_disclosure", "mode", mode, ["each", "joint"]) -}}
{{- sqlanon.check_list("delta_disclosure", "known", known) -}}
{{- sqlanon.check_name("delta_disclosure", "unit", unit, optional=true) -}}
{{- sqlanon.check_rule("delta_disclosure", (mode == 'joint') == (known | length > 0), "mode: joint and known, the other sensitive attributes, go together") -}}
{%- set judged -%}
{%- set promise = "In every class, |log2(share in class / share in table)| of every value is below delta" ~ "; delta = " ~ delta -%}
{%- set class_key = ["class_number", "part_number"] if known else ["class_number"] -%}
{%- set of_parts -%}
{{ sqlanon.delta_disclosure_sql(classes="parts" if known else "classes", class_values="class_values", table_values="table_values", class_key=class_key, attribute=attribute, delta=delta, absent=absent, promise=promise, source="Brickell and Shmatikov 2008, The cost of privacy") }}
{%- endset -%}
{%- if known -%}
{{ sqlanon.joint_sql(model_sql=of_parts, class_key=["class_number"], measures={"largest_change_bits": "max"}) }}
{%- else -%}
{{ of_parts }}
{%- endif -%}
{%- endset -%}
with {{ sqlanon.relations(model, quasi_identifiers, attribute=attribute, known=known, table=table, unit=unit, show_values=show_values) }}
{{ sqlanon.violations(judged, "largest_change_bits", quasi_identifiers, table=table, unit=unit, show_values=show_values) }}
{%- endmacro %}

{% test delta_disclosure(model, quasi_identifiers=none, attribute=none, delta=none, absent="violation", mode="each", known=[], table=none, unit=none, show_values=false) %}
{{ sqlanon.proof_of_delta_disclosure(model, quasi_identifiers=quasi_identifiers, attribute=attribute, delta=delta, absent=absent, mode=mode, known=known, table=table, unit=unit, show_values=show_values) }}
{% endtest %}

{% macro guard_delta_disclosure(model, quasi_identifiers=none, attribute=none, delta=none, absent="violation", mode="each", known=[], table=none, unit=none, show_values=false) -%}
{{ sqlanon.guarded("delta_disclosure", sqlanon.proof_of_delta_disclosure(model, quasi_identifiers=quasi_identifiers, attribute=attribute, delta=delta, absent=absent, mode=mode, known=known, table=table, unit=unit, show_values=show_values)) }}
{%- endmacro %}
