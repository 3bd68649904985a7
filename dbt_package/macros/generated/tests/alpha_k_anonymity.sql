{# generated from sql_templates and sqlanon.privacy_models; change those, not this file #}
{% macro proof_of_alpha_k_anonymity(model, quasi_identifiers=none, attribute=none, alpha=none, k=none, values=[], mode="each", known=[], unit=none, show_values=false) -%}
{{- sqlanon.check_list("alpha_k_anonymity", "quasi_identifiers", quasi_identifiers, 1) -}}
{{- sqlanon.check_name("alpha_k_anonymity", "attribute", attribute) -}}
{{- sqlanon.check_number("alpha_k_anonymity", "alpha", alpha, "a number, above 0 and at most 1", le=1, gt=0) -}}
{{- sqlanon.check_number("alpha_k_anonymity", "k", k, "a whole number, at least 2 and at most 1,000,000,000", le=1000000000, ge=2, whole=true) -}}
{{- sqlanon.check_list("alpha_k_anonymity", "values", values) -}}
{{- sqlanon.check_choice("alpha_k_anonymity", "mode", mode, ["each", "joint"]) -}}
{{- sqlanon.check_list("alpha_k_anonymity", "known", known) -}}
{{- sqlanon.check_name("alpha_k_anonymity", "unit", unit, optional=true) -}}
{{- sqlanon.check_rule("alpha_k_anonymity", mode == 'each', "mode: joint is not for (alpha,k)-anonymity: k would count parts of classes; ask for k-anonymity and, say, beta-likeness") -}}
{{- sqlanon.check_rule("alpha_k_anonymity", (mode == 'joint') == (known | length > 0), "mode: joint and known, the other sensitive attributes, go together") -}}
{%- set judged -%}
{%- set promise = "Every class has at least k rows, and no sensitive value more than a share of alpha in it" ~ "; alpha = " ~ alpha ~ ", k = " ~ k -%}
{%- set class_key = ["class_number", "part_number"] if known else ["class_number"] -%}
{%- set of_parts -%}
{{ sqlanon.alpha_k_anonymity_sql(classes="parts" if known else "classes", class_values="class_values", table_values="table_values", class_key=class_key, unit=unit, attribute=attribute, alpha=alpha, k=k, values=values, promise=promise, source="Wong, Li, Fu and Wang 2006, (alpha, k)-anonymity") }}
{%- endset -%}
{%- if known -%}
{{ sqlanon.joint_sql(model_sql=of_parts, class_key=["class_number"], measures={"largest_share": "max"}) }}
{%- else -%}
{{ of_parts }}
{%- endif -%}
{%- endset -%}
with {{ sqlanon.relations(model, quasi_identifiers, attribute=attribute, known=known, unit=unit, show_values=show_values) }}
{{ sqlanon.violations(judged, "largest_share", quasi_identifiers, unit=unit, show_values=show_values) }}
{%- endmacro %}

{% test alpha_k_anonymity(model, quasi_identifiers=none, attribute=none, alpha=none, k=none, values=[], mode="each", known=[], unit=none, show_values=false) %}
{{ sqlanon.proof_of_alpha_k_anonymity(model, quasi_identifiers=quasi_identifiers, attribute=attribute, alpha=alpha, k=k, values=values, mode=mode, known=known, unit=unit, show_values=show_values) }}
{% endtest %}

{% macro guard_alpha_k_anonymity(model, quasi_identifiers=none, attribute=none, alpha=none, k=none, values=[], mode="each", known=[], unit=none, show_values=false) -%}
{{ sqlanon.guarded("alpha_k_anonymity", sqlanon.proof_of_alpha_k_anonymity(model, quasi_identifiers=quasi_identifiers, attribute=attribute, alpha=alpha, k=k, values=values, mode=mode, known=known, unit=unit, show_values=show_values)) }}
{%- endmacro %}
