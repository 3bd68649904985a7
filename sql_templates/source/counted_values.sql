{#- inputs: attributes list[tuple[str, str]] name column, combined bool, relation str, population bool, unit str | None, row_count str -#}
{% set members = "persons" if unit else "rows" %}
{% set size %}{{ "count(distinct " ~ (unit | ident) ~ ")" if unit else "cast(sum(" ~ (row_count | ident) ~ ") as bigint)" }}{% endset %}
-- counted_values: the values of the attributes whose distribution in classes is checked
-- reads:   {{ "source_combinations" if combined else "source_values" }}
-- returns: one row per attribute and value
--   value      code of the value, from 1
--   text       the value as text; number: as a number, null if it is not one
--   place      order of the value: by number, then by text
--   row_count  {{ members }} with this value   [{{ members }}]
--   table_size {{ members }} of the table   [{{ members }}]
-- nulls:   a missing value has a code of its own, and the last place
with texts (attribute, text, row_count) as (
{% if combined %}
{% for name, column in attributes %}
    {{ "union all " if not loop.first }}select {{ name | text }}, cast({{ column | ident }} as varchar), {{ size }}
    from sqlanon.source_combinations
{% if population %}
    where {{ row_count | ident }} > 0
{% endif %}
    group by cast({{ column | ident }} as varchar)
{% endfor %}
{% else %}
    select attribute, value, row_count
    from sqlanon.source_values
    where attribute in ({% for name, column in attributes %}{{ name | text }}{{ ", " if not loop.last }}{% endfor %})
{% endif %}
)
select
    attribute,
    cast(row_number() over by_value as integer) as value,
    text,
    try_cast(text as double) as number,
    row_number() over by_value as place,
    row_count,
    {{ "table_sizes.table_size" if unit else "cast(sum(row_count) over (partition by attribute) as bigint) as table_size" }}
from texts
{% if unit %}
cross join (
    select count(distinct {{ unit | ident }}) as table_size
    from {{ relation }} as table_rows
) as table_sizes
{% endif %}
window by_value as (
    partition by attribute order by try_cast(text as double) nulls last, text nulls last
)
