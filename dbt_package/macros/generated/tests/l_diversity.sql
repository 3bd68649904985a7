{# generated from sql_templates and sqlanon.privacy_models; change those, not this file #}
{% macro proof_of_l_diversity(model, quasi_identifiers=none, attribute=none, l=none, kind="distinct", c=none, harmless=[], never_excluded=[], c2=none, mode="each", known=[], unit=none, show_values=false) -%}
{{- sqlanon.check_list("l_diversity", "quasi_identifiers", quasi_identifiers, 1) -}}
{{- sqlanon.check_name("l_diversity", "attribute", attribute) -}}
{{- sqlanon.check_number("l_diversity", "l", l, "a number, at least 1 and at most 1,000,000,000", le=1000000000, ge=1) -}}
{{- sqlanon.check_choice("l_diversity", "kind", kind, ["distinct", "entropy", "frequency", "recursive"]) -}}
{{- sqlanon.check_number("l_diversity", "c", c, "a number, above 0 and at most 1,000,000,000", le=1000000000, gt=0, optional=true) -}}
{{- sqlanon.check_list("l_diversity", "harmless", harmless) -}}
{{- sqlanon.check_list("l_diversity", "never_excluded", never_excluded) -}}
{{- sqlanon.check_number("l_diversity", "c2", c2, "a number, above 0 and at most 1", le=1, gt=0, optional=true) -}}
{{- sqlanon.check_choice("l_diversity", "mode", mode, ["each", "joint"]) -}}
{{- sqlanon.check_list("l_diversity", "known", known) -}}
{{- sqlanon.check_name("l_diversity", "unit", unit, optional=true) -}}
{{- sqlanon.check_rule("l_diversity", kind not in ('distinct', 'recursive') or l == l | int, "l must be a whole number for distinct and recursive l-diversity") -}}
{{- sqlanon.check_rule("l_diversity", kind != 'recursive' or c is not none, "recursive l-diversity needs c, as in `c: 3`") -}}
{{- sqlanon.check_rule("l_diversity", kind == 'recursive' or (c is none and c2 is none and not harmless and not never_excluded), "c, c2, harmless and never_excluded belong to `kind: recursive`") -}}
{{- sqlanon.check_rule("l_diversity", (never_excluded | length > 0) == (c2 is not none), "never_excluded and c2 go together") -}}
{{- sqlanon.check_rule("l_diversity", (mode == 'joint') == (known | length > 0), "mode: joint and known, the other sensitive attributes, go together") -}}
{%- set judged -%}
{%- set promise = "Every equivalence class holds at least l well-represented values of a sensitive attribute" ~ "; l = " ~ l -%}
{%- set class_key = ["class_number", "part_number"] if known else ["class_number"] -%}
{%- set of_parts -%}
{%- if kind == "distinct" -%}
{{ sqlanon.l_diversity_distinct_sql(classes="parts" if known else "classes", class_values="class_values", class_key=class_key, unit=unit, attribute=attribute, l=l, promise=promise, source="Machanavajjhala et al. 2007, l-diversity, ACM TKDD 1(1)") }}
{%- elif kind == "entropy" -%}
{{ sqlanon.l_diversity_entropy_sql(classes="parts" if known else "classes", class_values="class_values", class_key=class_key, unit=unit, attribute=attribute, l=l, promise=promise, source="Machanavajjhala et al. 2007, l-diversity, ACM TKDD 1(1)") }}
{%- elif kind == "frequency" -%}
{{ sqlanon.l_diversity_frequency_sql(classes="parts" if known else "classes", class_values="class_values", class_key=class_key, unit=unit, attribute=attribute, l=l, promise=promise, source="Machanavajjhala et al. 2007, l-diversity, ACM TKDD 1(1)") }}
{%- elif kind == "recursive" -%}
{{ sqlanon.l_diversity_recursive_sql(classes="parts" if known else "classes", class_values="class_values", table_values="table_values", class_key=class_key, unit=unit, attribute=attribute, l=l, c=c, harmless=harmless, never_excluded=never_excluded, c2=c2, promise=promise, source="Machanavajjhala et al. 2007, l-diversity, ACM TKDD 1(1)") }}
{%- endif -%}
{%- endset -%}
{%- if known -%}
{{ sqlanon.joint_sql(model_sql=of_parts, class_key=["class_number"], measures={"diversity": "min"}) }}
{%- else -%}
{{ of_parts }}
{%- endif -%}
{%- endset -%}
with {{ sqlanon.relations(model, quasi_identifiers, attribute=attribute, known=known, unit=unit, show_values=show_values) }}
{{ sqlanon.violations(judged, "diversity", quasi_identifiers, unit=unit, show_values=show_values) }}
{%- endmacro %}

{% test l_diversity(model, quasi_identifiers=none, attribute=none, l=none, kind="distinct", c=none, harmless=[], never_excluded=[], c2=none, mode="each", known=[], unit=none, show_values=false) %}
{{ sqlanon.proof_of_l_diversity(model, quasi_identifiers=quasi_identifiers, attribute=attribute, l=l, kind=kind, c=c, harmless=harmless, never_excluded=never_excluded, c2=c2, mode=mode, known=known, unit=unit, show_values=show_values) }}
{% endtest %}

{% macro guard_l_diversity(model, quasi_identifiers=none, attribute=none, l=none, kind="distinct", c=none, harmless=[], never_excluded=[], c2=none, mode="each", known=[], unit=none, show_values=false) -%}
{{ sqlanon.guarded("l_diversity", sqlanon.proof_of_l_diversity(model, quasi_identifiers=quasi_identifiers, attribute=attribute, l=l, kind=kind, c=c, harmless=harmless, never_excluded=never_excluded, c2=c2, mode=mode, known=known, unit=unit, show_values=show_values)) }}
{%- endmacro %}
