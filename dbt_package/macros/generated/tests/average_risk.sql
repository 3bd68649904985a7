{# generated from sql_templates and sqlanon.privacy_models; change those, not this file #}
{% macro proof_of_average_risk(model, quasi_identifiers=none, threshold=none, unit=none, show_values=false) -%}
{{- sqlanon.check_list("average_risk", "quasi_identifiers", quasi_identifiers, 1) -}}
{{- sqlanon.check_number("average_risk", "threshold", threshold, "a number, above 0 and at most 1", le=1, gt=0) -}}
{{- sqlanon.check_name("average_risk", "unit", unit, optional=true) -}}
{%- set judged -%}
{%- set promise = "Classes divided by rows of the publication are at most the threshold" ~ "; threshold = " ~ threshold -%}
{%- set class_key = ["class_number"] -%}
{{ sqlanon.average_risk_sql(classes="classes", class_key=class_key, unit=unit, threshold=threshold, promise=promise, source="El Emam 2013, Guide to the de-identification of personal health data") }}
{%- endset -%}
with {{ sqlanon.relations(model, quasi_identifiers, unit=unit, show_values=show_values) }}
{{ sqlanon.violations(judged, "average_risk", quasi_identifiers, unit=unit, show_values=show_values) }}
{%- endmacro %}

{% test average_risk(model, quasi_identifiers=none, threshold=none, unit=none, show_values=false) %}
{{ sqlanon.proof_of_average_risk(model, quasi_identifiers=quasi_identifiers, threshold=threshold, unit=unit, show_values=show_values) }}
{% endtest %}

{% macro guard_average_risk(model, quasi_identifiers=none, threshold=none, unit=none, show_values=false) -%}
{{ sqlanon.guarded("average_risk", sqlanon.proof_of_average_risk(model, quasi_identifiers=quasi_identifiers, threshold=threshold, unit=unit, show_values=show_values)) }}
{%- endmacro %}
