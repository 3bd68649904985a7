{#- inputs: name str, group_number int, columns list[tuple[int, str, bool]], combinations str, values str -#}
{% import "_comments.sql" as comments %}
{% set texts %}{% for number, column, generalized in columns %}text_{{ number }}{{ ", " if not loop.last }}{% endfor %}{% endset %}
{{ comments.line("-- " ~ name ~ ":", "the buckets that contain a person's values of column group " ~ group_number) }}
{{ comments.line("-- reads:  ", combinations ~ ", " ~ values ~ (", sqlanon.hierarchy_levels" if columns | selectattr(2) | list else "")) }}
{% for number, column, generalized in columns %}
--   {{ column | comment }}: {{ "published as it is, or as a label of any level of its hierarchy" if generalized else "published as it is" }}
{% endfor %}
-- returns: one row per person's values and published value that they match
--   combination_count   combinations of the population with these values
-- nulls:   a null value matches a null label
with own_values as (
    select {{ texts }}, count(*) as combination_count
    from {{ combinations }}
    group by {{ texts }}
){% if columns | selectattr(2) | list %},
labels (attribute, value, label) as (
    select attribute, value, label
    from sqlanon.hierarchy_levels
{% for number, column, generalized in columns if generalized %}
    union
    -- a value is also a label of itself, even if no hierarchy contains it
    select {{ column | text }}, text_{{ number }}, text_{{ number }}
    from own_values
{% endfor %}
){% endif %}

select
{% for number, column, generalized in columns %}
    own_values.text_{{ number }},
{% endfor %}
    own_values.combination_count,
    published.bucket,
    published.value
from own_values
{% for number, column, generalized in columns if generalized %}
inner join labels as labels_{{ number }}
    on labels_{{ number }}.attribute = {{ column | text }}
    and labels_{{ number }}.value is not distinct from own_values.text_{{ number }}
{% endfor %}
inner join {{ values }} as published
{% for number, column, generalized in columns %}
    {{ "on" if loop.first else "and" }} published.label_{{ loop.index }} is not distinct from {{ "labels_" ~ number ~ ".label" if generalized else "own_values.text_" ~ number }}
{% endfor %}
