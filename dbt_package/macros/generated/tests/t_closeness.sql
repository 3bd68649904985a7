{# generated from sql_templates and sqlanon.privacy_models; change those, not this file #}
{% macro proof_of_t_closeness(model, quasi_identifiers=none, attribute=none, t=none, distance="equal", mode="each", known=[], hierarchy=none, levels=[], table=none, unit=none, show_values=false) -%}
{{- sqlanon.check_list("t_closeness", "quasi_identifiers", quasi_identifiers, 1) -}}
{{- sqlanon.check_name("t_closeness", "attribute", attribute) -}}
{{- sqlanon.check_number("t_closeness", "t", t, "a number, at least 0 and at most 1", le=1, ge=0) -}}
{{- sqlanon.check_choice("t_closeness", "distance", distance, ["equal", "hierarchical", "ordered"]) -}}
{{- sqlanon.check_choice("t_closeness", "mode", mode, ["each", "joint"]) -}}
{{- sqlanon.check_list("t_closeness", "known", known) -}}
{{- sqlanon.check_list("t_closeness", "levels", levels) -}}
{{- sqlanon.check_name("t_closeness", "unit", unit, optional=true) -}}
{{- sqlanon.check_rule("t_closeness", (mode == 'joint') == (known | length > 0), "mode: joint and known, the other sensitive attributes, go together") -}}
{{- sqlanon.check_rule("t_closeness", (distance == "hierarchical") == (hierarchy is not none and levels | length > 1), "hierarchy, and two levels or more, belong to distance: \"hierarchical\"") -}}
{%- set judged -%}
{%- set promise = "The earth mover's distance between every class and the whole table is at most t" ~ "; t = " ~ t -%}
{%- set class_key = ["class_number", "part_number"] if known else ["class_number"] -%}
{%- set of_parts -%}
{%- if distance == "equal" -%}
{{ sqlanon.t_closeness_equal_sql(classes="parts" if known else "classes", class_values="class_values", table_values="table_values", class_key=class_key, unit=unit, attribute=attribute, t=t, promise=promise, source="Li, Li and Venkatasubramanian 2007, t-closeness") }}
{%- elif distance == "ordered" -%}
{{ sqlanon.t_closeness_ordered_sql(classes="parts" if known else "classes", class_values="class_values", table_values="table_values", class_key=class_key, unit=unit, attribute=attribute, t=t, promise=promise, source="Li, Li and Venkatasubramanian 2007, t-closeness") }}
{%- elif distance == "hierarchical" -%}
{{ sqlanon.t_closeness_hierarchical_sql(classes="parts" if known else "classes", class_values="class_values", table_values="table_values", value_levels="value_levels", class_key=class_key, unit=unit, attribute=attribute, t=t, promise=promise, source="Li, Li and Venkatasubramanian 2007, t-closeness") }}
{%- endif -%}
{%- endset -%}
{%- if known -%}
{{ sqlanon.joint_sql(model_sql=of_parts, class_key=["class_number"], measures={"distance": "max"}) }}
{%- else -%}
{{ of_parts }}
{%- endif -%}
{%- endset -%}
with {{ sqlanon.relations(model, quasi_identifiers, attribute=attribute, known=known, table=table, hierarchy=hierarchy, levels=levels, unit=unit, is_ordered=distance == "ordered", show_values=show_values) }}
{{ sqlanon.violations(judged, "distance", quasi_identifiers, table=table, hierarchy=hierarchy, levels=levels, unit=unit, is_ordered=distance == "ordered", show_values=show_values) }}
{%- endmacro %}

{% test t_closeness(model, quasi_identifiers=none, attribute=none, t=none, distance="equal", mode="each", known=[], hierarchy=none, levels=[], table=none, unit=none, show_values=false) %}
{{ sqlanon.proof_of_t_closeness(model, quasi_identifiers=quasi_identifiers, attribute=attribute, t=t, distance=distance, mode=mode, known=known, hierarchy=hierarchy, levels=levels, table=table, unit=unit, show_values=show_values) }}
{% endtest %}

{% macro guard_t_closeness(model, quasi_identifiers=none, attribute=none, t=none, distance="equal", mode="each", known=[], hierarchy=none, levels=[], table=none, unit=none, show_values=false) -%}
{{ sqlanon.guarded("t_closeness", sqlanon.proof_of_t_closeness(model, quasi_identifiers=quasi_identifiers, attribute=attribute, t=t, distance=distance, mode=mode, known=known, hierarchy=hierarchy, levels=levels, table=table, unit=unit, show_values=show_values)) }}
{%- endmacro %}
