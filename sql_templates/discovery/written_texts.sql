{#- inputs: columns list[dict[name str, text bool]], first_rows int, codes list[list[str]], most_values int -#}
-- written_texts: how the first rows write texts and numbers
-- reads:   source
-- returns: one row per column with a value: its place in the question, and
--   texts   different values, those with the smallest hashes   [list of text]
--   codes   those values that often stand for a missing one   [list of text]
with first_rows as (
    select
{% for column in columns %}
        {% if column.text %}trim({{ column.name | ident }}){% else %}cast({{ column.name | ident }} as varchar){% endif %} as column_{{ loop.index }}{{ "," if not loop.last }}
{% endfor %}
    from sqlanon.source
    limit {{ first_rows }}
),
written as (
    select distinct column_name, value
    from first_rows
    unpivot (
        value for column_name in (
{% for column in columns %}
            column_{{ loop.index }}{{ "," if not loop.last }}
{% endfor %}
        )
    )
    where value <> ''
)
select
    cast(substring(column_name, 8) as integer) as place,
    arg_min(value, hash(value), {{ most_values }}) as texts,
    list(value order by value) filter (strip_accents(lower(value)) in (
{% for few in codes %}
        {% for code in few %}{{ code | text }}{{ ", " if not loop.last }}{% endfor %}{{ "," if not loop.last }}
{% endfor %}
    )) as codes
from written
group by place
order by place
