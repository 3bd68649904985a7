{#- The first lines of attacks on values, by their shares of a class or by `beliefs`; `also`: what else is read; `risky`: what is at risk -#}
-- {{ title }}: {{ promise | comment }}
-- source:  {{ source | comment }}
{% if beliefs %}
-- reads:   {{ beliefs }}, p(t, s) of each {{ attribute | comment }}, {{ also }}{{ classes }} and {{ class_values }}
{% else %}
-- reads:   {{ classes }}, {{ also }}and {{ class_values }}, how often each value of {{ attribute | comment }} occurs in each class
{% endif %}
-- returns: one row per class{{ ": rows of a bucket that agree in the column group of the attribute" if beliefs }}
--   class_size     rows of the class   [rows]
--   rows_at_risk   rows of {{ risky }}, {{ "within a tolerance of 1e-9, for somebody who may be in the class" if beliefs else "compared exactly" }}   [rows]
