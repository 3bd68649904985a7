{#- The first lines of attacks on values, by their shares of a class or by `beliefs`; `also`: what else is read; `risky`: what is at risk -#}
{% call comments.wrapped("-- " ~ title ~ ": ") %}
{{ promise | comment }}
{% endcall %}
-- source:  {{ source | comment }}
{% call comments.wrapped("-- reads:   ") %}
{% if beliefs %}
{{ beliefs }}, p(t, s) of each {{ attribute | comment }}, {{ also }}{{ classes }} and {{ class_values }}
{% else %}
{{ classes }}, {{ also }}and {{ class_values }}, how often each value of {{ attribute | comment }} occurs in each class
{% endif %}
{% endcall %}
-- returns: one row per class{{ ": rows of a bucket that agree in the column group of the attribute" if beliefs }}
--   class_size     rows of the class   [rows]
{% call comments.wrapped("--   rows_at_risk   ", hang="--                  ") %}
rows of {{ risky }}, {{ "within a tolerance of 1e-9, for somebody who may be in the class" if beliefs else "compared exactly" }} [rows]
{% endcall %}
