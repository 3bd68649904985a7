{# generated from sql_templates and sqlanon.privacy_models; change those, not this file #}
{% macro proof_of_delta_presence(model, quasi_identifiers=none, dmin=none, dmax=none, suppressed="violation", population=none, unit=none, show_values=false) -%}
{{- sqlanon.check_list("delta_presence", "quasi_identifiers", quasi_identifiers, 1) -}}
{{- sqlanon.check_number("delta_presence", "dmin", dmin, "a number, at least 0 and at most 1", le=1, ge=0) -}}
{{- sqlanon.check_number("delta_presence", "dmax", dmax, "a number, at least 0 and at most 1", le=1, ge=0) -}}
{{- sqlanon.check_choice("delta_presence", "suppressed", suppressed, ["violation", "ignore"]) -}}
{{- sqlanon.check_given("delta_presence", "population", population, "ref('population')") -}}
{{- sqlanon.check_name("delta_presence", "unit", unit, optional=true) -}}
{{- sqlanon.check_rule("delta_presence", dmin <= dmax, "dmin must not be above dmax") -}}
{%- set judged -%}
{%- set promise = "For every person of the population, the chance to be in the table is from dmin to dmax" ~ "; dmin = " ~ dmin ~ ", dmax = " ~ dmax -%}
{%- set class_key = ["class_number"] -%}
{{ sqlanon.delta_presence_sql(classes="classes", class_key=class_key, unit=unit, dmin=dmin, dmax=dmax, promise=promise, source="Nergiz, Atzori and Clifton 2007, Hiding the presence of individuals") }}
{%- endset -%}
with {{ sqlanon.relations(model, quasi_identifiers, population=population, is_covered=suppressed == "violation", unit=unit, show_values=show_values) }}
{{ sqlanon.violations(judged, "presence", quasi_identifiers, population=population, unit=unit, show_values=show_values) }}
{%- endmacro %}

{% test delta_presence(model, quasi_identifiers=none, dmin=none, dmax=none, suppressed="violation", population=none, unit=none, show_values=false) %}
{{ sqlanon.proof_of_delta_presence(model, quasi_identifiers=quasi_identifiers, dmin=dmin, dmax=dmax, suppressed=suppressed, population=population, unit=unit, show_values=show_values) }}
{% endtest %}

{% macro guard_delta_presence(model, quasi_identifiers=none, dmin=none, dmax=none, suppressed="violation", population=none, unit=none, show_values=false) -%}
{{ sqlanon.guarded("delta_presence", sqlanon.proof_of_delta_presence(model, quasi_identifiers=quasi_identifiers, dmin=dmin, dmax=dmax, suppressed=suppressed, population=population, unit=unit, show_values=show_values)) }}
{%- endmacro %}
