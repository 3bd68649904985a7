{#- inputs: attributes list[tuple[str, str]] name column, combined bool, population bool, unit_alias str | None, row_count str -#}
-- counted_values: the values of the attributes whose distribution in classes is checked
-- reads:   {{ "source_combinations" if combined else "source_values" }}
-- returns: one row per attribute and value
--   value      code of the value, from 1
--   text       the value as text; number: as a number, null if it is not one
--   place      order of the value: by number, then by text
--   row_count  {{ "persons" if unit_alias else "rows" }} with this value   [{{ "persons" if unit_alias else "rows" }}]
-- nulls:   a missing value has a code of its own, and the last place
with texts (attribute, text, row_count) as (
{% if combined %}
{% for name, column in attributes %}
    {{ "union all " if not loop.first }}select {{ name | text }}, cast({{ column | ident }} as varchar), {{ "count(distinct " ~ (unit_alias | ident) ~ ")" if unit_alias else "cast(sum(" ~ (row_count | ident) ~ ") as bigint)" }}
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
    row_count
from texts
window by_value as (
    partition by attribute order by try_cast(text as double) nulls last, text nulls last
)
