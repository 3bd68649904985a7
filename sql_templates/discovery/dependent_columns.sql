{#- inputs: keys list[str], columns list[str] -#}
-- dependent_columns: which columns stay the same while a key does, in the sample
-- reads:   sampled_rows
-- returns: one row per column that could be a key: its place in the question, then for each column
--   repeated   values of the key with two or more values of the column   [values]
--   changed    those within which the column has different values   [values]
-- nulls:   a missing value is none
{% for key in keys %}
{% set number = loop.index %}
select
    {{ number }} as key_number,
{% for column in columns %}
    count(*) filter (present_{{ loop.index }} > 1) as repeated_{{ loop.index }},
    count(*) filter (first_{{ loop.index }} <> last_{{ loop.index }}) as changed_{{ loop.index }}{{ "," if not loop.last }}
{% endfor %}
from (
    select
{% for column in columns %}
        count({{ column }}) as present_{{ loop.index }},
        min({{ column }}) as first_{{ loop.index }},
        max({{ column }}) as last_{{ loop.index }}{{ "," if not loop.last }}
{% endfor %}
    from sqlanon.sampled_rows
    where {{ key }} is not null
    group by {{ key }}
    having count(*) > 1
) as values_of_key_{{ number }}
{{ "union all" if not loop.last }}
{% endfor %}
