{# generated from sql_templates and sqlanon.privacy_models; change those, not this file #}
{% macro proof_of_prosecutor_risk(model, quasi_identifiers=none, threshold=none, share=0, unit=none, show_values=false) -%}
{{- sqlanon.check_list("prosecutor_risk", "quasi_identifiers", quasi_identifiers, 1) -}}
{{- sqlanon.check_number("prosecutor_risk", "threshold", threshold, "a number, above 0 and at most 1", le=1, gt=0) -}}
{{- sqlanon.check_number("prosecutor_risk", "share", share, "a number, at least 0 and at most 1,000,000,000 and below 1", le=1000000000, ge=0, lt=1) -}}
{{- sqlanon.check_name("prosecutor_risk", "unit", unit, optional=true) -}}
{%- set judged -%}
{%- set promise = "1 / rows of the class is at most the threshold, but for a share of the rows" ~ "; threshold = " ~ threshold -%}
{%- set class_key = ["class_number"] -%}
{{ sqlanon.prosecutor_risk_sql(classes="classes", class_key=class_key, unit=unit, threshold=threshold, share=share, promise=promise, source="El Emam 2013, Guide to the de-identification of personal health data") }}
{%- endset -%}
with {{ sqlanon.relations(model, quasi_identifiers, unit=unit, show_values=show_values) }}
{{ sqlanon.violations(judged, "highest_risk", quasi_identifiers, unit=unit, show_values=show_values) }}
{%- endmacro %}

{% test prosecutor_risk(model, quasi_identifiers=none, threshold=none, share=0, unit=none, show_values=false) %}
{{ sqlanon.proof_of_prosecutor_risk(model, quasi_identifiers=quasi_identifiers, threshold=threshold, share=share, unit=unit, show_values=show_values) }}
{% endtest %}

{% macro guard_prosecutor_risk(model, quasi_identifiers=none, threshold=none, share=0, unit=none, show_values=false) -%}
{{ sqlanon.guarded("prosecutor_risk", sqlanon.proof_of_prosecutor_risk(model, quasi_identifiers=quasi_identifiers, threshold=threshold, share=share, unit=unit, show_values=show_values)) }}
{%- endmacro %}
