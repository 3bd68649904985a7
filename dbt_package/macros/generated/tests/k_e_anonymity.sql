{# generated from sql_templates and sqlanon.privacy_models; change those, not this file #}
{% macro proof_of_k_e_anonymity(model, quasi_identifiers=none, attribute=none, k=none, e=none, mode="each", known=[], unit=none, show_values=false) -%}
{{- sqlanon.check_list("k_e_anonymity", "quasi_identifiers", quasi_identifiers, 1) -}}
{{- sqlanon.check_name("k_e_anonymity", "attribute", attribute) -}}
{{- sqlanon.check_number("k_e_anonymity", "k", k, "a whole number, at least 2 and at most 1,000,000,000", le=1000000000, ge=2, whole=true) -}}
{{- sqlanon.check_number("k_e_anonymity", "e", e, "a number, at least 0 and at most 1,000,000,000", le=1000000000, ge=0) -}}
{{- sqlanon.check_choice("k_e_anonymity", "mode", mode, ["each", "joint"]) -}}
{{- sqlanon.check_list("k_e_anonymity", "known", known) -}}
{{- sqlanon.check_name("k_e_anonymity", "unit", unit, optional=true) -}}
{{- sqlanon.check_rule("k_e_anonymity", (mode == 'joint') == (known | length > 0), "mode: joint and known, the other sensitive attributes, go together") -}}
{%- set judged -%}
{%- set promise = "Every class holds at least k different numbers, and they span a range of at least e" ~ "; k = " ~ k ~ ", e = " ~ e -%}
{%- set class_key = ["class_number", "part_number"] if known else ["class_number"] -%}
{%- set of_parts -%}
{{ sqlanon.k_e_anonymity_sql(classes="parts" if known else "classes", class_values="class_values", table_values="table_values", class_key=class_key, unit=unit, attribute=attribute, k=k, e=e, promise=promise, source="Zhang, Koudas, Srivastava and Yu 2007, Aggregate query answering") }}
{%- endset -%}
{%- if known -%}
{{ sqlanon.joint_sql(model_sql=of_parts, class_key=["class_number"], measures={"value_range": "min"}) }}
{%- else -%}
{{ of_parts }}
{%- endif -%}
{%- endset -%}
with {{ sqlanon.relations(model, quasi_identifiers, attribute=attribute, known=known, unit=unit, is_number=true, show_values=show_values) }}
{{ sqlanon.violations(judged, "value_range", quasi_identifiers, unit=unit, is_number=true, show_values=show_values) }}
{%- endmacro %}

{% test k_e_anonymity(model, quasi_identifiers=none, attribute=none, k=none, e=none, mode="each", known=[], unit=none, show_values=false) %}
{{ sqlanon.proof_of_k_e_anonymity(model, quasi_identifiers=quasi_identifiers, attribute=attribute, k=k, e=e, mode=mode, known=known, unit=unit, show_values=show_values) }}
{% endtest %}

{% macro guard_k_e_anonymity(model, quasi_identifiers=none, attribute=none, k=none, e=none, mode="each", known=[], unit=none, show_values=false) -%}
{{ sqlanon.guarded("k_e_anonymity", sqlanon.proof_of_k_e_anonymity(model, quasi_identifiers=quasi_identifiers, attribute=attribute, k=k, e=e, mode=mode, known=known, unit=unit, show_values=show_values)) }}
{%- endmacro %}
