{# generated from sql_templates and sqlanon.privacy_models; change those, not this file #}
{% macro proof_of_estimated_k_map(model, quasi_identifiers=none, k=none, sampling_fraction=none, estimator="zero-truncated-poisson", error=0.05, unit=none, show_values=false) -%}
{{- sqlanon.check_list("estimated_k_map", "quasi_identifiers", quasi_identifiers, 1) -}}
{{- sqlanon.check_number("estimated_k_map", "k", k, "a whole number, at least 2 and at most 100,000", le=100000, ge=2, whole=true) -}}
{{- sqlanon.check_number("estimated_k_map", "sampling_fraction", sampling_fraction, "a number, above 0 and at most 1", le=1, gt=0) -}}
{{- sqlanon.check_choice("estimated_k_map", "estimator", estimator, ["zero-truncated-poisson", "poisson"]) -}}
{{- sqlanon.check_number("estimated_k_map", "error", error, "a number, above 0 and at most 1,000,000,000 and below 1", le=1000000000, gt=0, lt=1) -}}
{{- sqlanon.check_name("estimated_k_map", "unit", unit, optional=true) -}}
{{- sqlanon.check_rule("estimated_k_map", sqlanon.poisson_least_size(k, sampling_fraction, error, estimator != 'poisson') | int >= 2, "with this sampling_fraction, Poisson takes single rows for k persons, which promises nothing; leave out estimator") -}}
{%- set judged -%}
{%- set promise = "Every equivalence class has so many rows that it is taken for k persons of the population" ~ "; k = " ~ k ~ ", sampling_fraction = " ~ sampling_fraction -%}
{%- set class_key = ["class_number"] -%}
{{ sqlanon.estimated_k_map_sql(classes="classes", class_key=class_key, unit=unit, k=k, sampling_fraction=sampling_fraction, estimator=estimator, error=error, promise=promise, source="El Emam and Dankar 2008, Protecting privacy using k-anonymity (k-map by estimate)") }}
{%- endset -%}
with {{ sqlanon.relations(model, quasi_identifiers, unit=unit, show_values=show_values) }}
{{ sqlanon.violations(judged, "class_size", quasi_identifiers, unit=unit, show_values=show_values) }}
{%- endmacro %}

{% test estimated_k_map(model, quasi_identifiers=none, k=none, sampling_fraction=none, estimator="zero-truncated-poisson", error=0.05, unit=none, show_values=false) %}
{{ sqlanon.proof_of_estimated_k_map(model, quasi_identifiers=quasi_identifiers, k=k, sampling_fraction=sampling_fraction, estimator=estimator, error=error, unit=unit, show_values=show_values) }}
{% endtest %}

{% macro guard_estimated_k_map(model, quasi_identifiers=none, k=none, sampling_fraction=none, estimator="zero-truncated-poisson", error=0.05, unit=none, show_values=false) -%}
{{ sqlanon.guarded("estimated_k_map", sqlanon.proof_of_estimated_k_map(model, quasi_identifiers=quasi_identifiers, k=k, sampling_fraction=sampling_fraction, estimator=estimator, error=error, unit=unit, show_values=show_values)) }}
{%- endmacro %}
