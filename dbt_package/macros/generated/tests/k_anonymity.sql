{# generated from sql_templates and sqlanon.privacy_models; change those, not this file #}
{% macro proof_of_k_anonymity(model, quasi_identifiers=none, k=none, unit=none, show_values=false) -%}
{{- sqlanon.check_list("k_anonymity", "quasi_identifiers", quasi_identifiers, 1) -}}
{{- sqlanon.check_number("k_anonymity", "k", k, "a whole number, at least 2 and at most 1,000,000,000", le=1000000000, ge=2, whole=true) -}}
{{- sqlanon.check_name("k_anonymity", "unit", unit, optional=true) -}}
{%- set judged -%}
{%- set promise = "Every equivalence class has at least k rows, or with `unit` persons" ~ "; k = " ~ k -%}
{%- set class_key = ["class_number"] -%}
{{ sqlanon.k_anonymity_sql(classes="classes", class_key=class_key, unit=unit, k=k, promise=promise, source="Sweeney 2002, k-anonymity: a model for protecting privacy") }}
{%- endset -%}
with {{ sqlanon.relations(model, quasi_identifiers, unit=unit, show_values=show_values) }}
{{ sqlanon.violations(judged, "class_size", quasi_identifiers, unit=unit, show_values=show_values) }}
{%- endmacro %}

{% test k_anonymity(model, quasi_identifiers=none, k=none, unit=none, show_values=false) %}
{{ sqlanon.proof_of_k_anonymity(model, quasi_identifiers=quasi_identifiers, k=k, unit=unit, show_values=show_values) }}
{% endtest %}

{% macro guard_k_anonymity(model, quasi_identifiers=none, k=none, unit=none, show_values=false) -%}
{{ sqlanon.guarded("k_anonymity", sqlanon.proof_of_k_anonymity(model, quasi_identifiers=quasi_identifiers, k=k, unit=unit, show_values=show_values)) }}
{%- endmacro %}
