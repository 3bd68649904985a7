{# generated from sql_templates and sqlanon.privacy_models; change those, not this file #}
{% macro proof_of_k_map(model, quasi_identifiers=none, k=none, population=none, unit=none, show_values=false) -%}
{{- sqlanon.check_list("k_map", "quasi_identifiers", quasi_identifiers, 1) -}}
{{- sqlanon.check_number("k_map", "k", k, "a whole number, at least 2 and at most 1,000,000,000", le=1000000000, ge=2, whole=true) -}}
{{- sqlanon.check_given("k_map", "population", population, "ref('population')") -}}
{{- sqlanon.check_name("k_map", "unit", unit, optional=true) -}}
{%- set judged -%}
{%- set promise = "Every equivalence class has at least k rows of the population, generalized the same way" ~ "; k = " ~ k -%}
{%- set class_key = ["class_number"] -%}
{{ sqlanon.k_map_sql(classes="classes", class_key=class_key, k=k, promise=promise, source="Sweeney 2002, k-anonymity: a model for protecting privacy (k-map)") }}
{%- endset -%}
with {{ sqlanon.relations(model, quasi_identifiers, population=population, unit=unit, show_values=show_values) }}
{{ sqlanon.violations(judged, "population_size", quasi_identifiers, population=population, unit=unit, show_values=show_values) }}
{%- endmacro %}

{% test k_map(model, quasi_identifiers=none, k=none, population=none, unit=none, show_values=false) %}
{{ sqlanon.proof_of_k_map(model, quasi_identifiers=quasi_identifiers, k=k, population=population, unit=unit, show_values=show_values) }}
{% endtest %}

{% macro guard_k_map(model, quasi_identifiers=none, k=none, population=none, unit=none, show_values=false) -%}
{{ sqlanon.guarded("k_map", sqlanon.proof_of_k_map(model, quasi_identifiers=quasi_identifiers, k=k, population=population, unit=unit, show_values=show_values)) }}
{%- endmacro %}
