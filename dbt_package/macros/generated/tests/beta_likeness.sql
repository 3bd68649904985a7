{# generated from sql_templates and sqlanon.privacy_models; change those, not this file #}
{% macro proof_of_beta_likeness(model, quasi_identifiers=none, attribute=none, beta=none, kind="basic", mode="each", known=[], table=none, unit=none, show_values=false) -%}
{{- sqlanon.check_list("beta_likeness", "quasi_identifiers", quasi_identifiers, 1) -}}
{{- sqlanon.check_name("beta_likeness", "attribute", attribute) -}}
{{- sqlanon.check_number("beta_likeness", "beta", beta, "a number, above 0 and at most 1,000,000", le=1000000, gt=0) -}}
{{- sqlanon.check_choice("beta_likeness", "kind", kind, ["basic", "enhanced"]) -}}
{{- sqlanon.check_choice("beta_likeness", "mode", mode, ["each", "joint"]) -}}
{{- sqlanon.check_list("beta_likeness", "known", known) -}}
{{- sqlanon.check_name("beta_likeness", "unit", unit, optional=true) -}}
{{- sqlanon.check_rule("beta_likeness", (mode == 'joint') == (known | length > 0), "mode: joint and known, the other sensitive attributes, go together") -}}
{%- set judged -%}
{%- set promise = "In every class, no value's share exceeds its share in the table by more than beta times it" ~ "; beta = " ~ beta -%}
{%- set class_key = ["class_number", "part_number"] if known else ["class_number"] -%}
{%- set of_parts -%}
{{ sqlanon.beta_likeness_sql(classes="parts" if known else "classes", class_values="class_values", table_values="table_values", class_key=class_key, attribute=attribute, kind=kind, beta=beta, promise=promise, source="Cao and Karras 2012, Publishing microdata with a robust privacy guarantee") }}
{%- endset -%}
{%- if known -%}
{{ sqlanon.joint_sql(model_sql=of_parts, class_key=["class_number"], measures={"largest_gain": "max"}) }}
{%- else -%}
{{ of_parts }}
{%- endif -%}
{%- endset -%}
with {{ sqlanon.relations(model, quasi_identifiers, attribute=attribute, known=known, table=table, unit=unit, show_values=show_values) }}
{{ sqlanon.violations(judged, "largest_gain", quasi_identifiers, table=table, unit=unit, show_values=show_values) }}
{%- endmacro %}

{% test beta_likeness(model, quasi_identifiers=none, attribute=none, beta=none, kind="basic", mode="each", known=[], table=none, unit=none, show_values=false) %}
{{ sqlanon.proof_of_beta_likeness(model, quasi_identifiers=quasi_identifiers, attribute=attribute, beta=beta, kind=kind, mode=mode, known=known, table=table, unit=unit, show_values=show_values) }}
{% endtest %}

{% macro guard_beta_likeness(model, quasi_identifiers=none, attribute=none, beta=none, kind="basic", mode="each", known=[], table=none, unit=none, show_values=false) -%}
{{ sqlanon.guarded("beta_likeness", sqlanon.proof_of_beta_likeness(model, quasi_identifiers=quasi_identifiers, attribute=attribute, beta=beta, kind=kind, mode=mode, known=known, table=table, unit=unit, show_values=show_values)) }}
{%- endmacro %}
