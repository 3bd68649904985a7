{# generated from sql_templates and sqlanon.privacy_models; change those, not this file #}
{% macro proof_of_marketer_risk(model, quasi_identifiers=none, threshold=none, population=none, unit=none, show_values=false) -%}
{{- sqlanon.check_list("marketer_risk", "quasi_identifiers", quasi_identifiers, 1) -}}
{{- sqlanon.check_number("marketer_risk", "threshold", threshold, "a number, above 0 and at most 1", le=1, gt=0) -}}
{{- sqlanon.check_given("marketer_risk", "population", population, "ref('population')") -}}
{{- sqlanon.check_name("marketer_risk", "unit", unit, optional=true) -}}
{%- set judged -%}
{%- set promise = "The mean over rows of 1 / rows of the population in the row's class is within the threshold" ~ "; threshold = " ~ threshold -%}
{%- set class_key = ["class_number"] -%}
{{ sqlanon.marketer_risk_sql(classes="classes", class_key=class_key, unit=unit, threshold=threshold, promise=promise, source="El Emam 2013, Guide to the de-identification of personal health data") }}
{%- endset -%}
with {{ sqlanon.relations(model, quasi_identifiers, population=population, unit=unit, show_values=show_values) }}
{{ sqlanon.violations(judged, "marketer_risk", quasi_identifiers, population=population, unit=unit, show_values=show_values) }}
{%- endmacro %}

{% test marketer_risk(model, quasi_identifiers=none, threshold=none, population=none, unit=none, show_values=false) %}
{{ sqlanon.proof_of_marketer_risk(model, quasi_identifiers=quasi_identifiers, threshold=threshold, population=population, unit=unit, show_values=show_values) }}
{% endtest %}

{% macro guard_marketer_risk(model, quasi_identifiers=none, threshold=none, population=none, unit=none, show_values=false) -%}
{{ sqlanon.guarded("marketer_risk", sqlanon.proof_of_marketer_risk(model, quasi_identifiers=quasi_identifiers, threshold=threshold, population=population, unit=unit, show_values=show_values)) }}
{%- endmacro %}
