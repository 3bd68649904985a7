{#- inputs: number int, attribute str, is_generalized bool, known list[int], quasi_identifiers list[tuple[str, str]], combinations str, unit str | None, title str -#}
{% import "_comments.sql" as comments %}
{% call comments.wrapped("-- " ~ title ~ ": ") %}
how often each {{ attribute | comment }} occurs in each published class{{ ", divided by the other sensitive values" if known }}
{% endcall %}
{% call comments.wrapped("-- reads:   ") %}
published_combinations{{ "; a quasi-identifier, so one value a class" if is_generalized else ", table_values_" ~ number }}
{% endcall %}
-- returns: one row per class and value
--   value        code of the value
--   value_count  {{ "persons" if unit else "rows" }}
{% include "proof/_class_values.sql" %}
