{#- inputs: columns list[tuple[str, str, bool]] name alias is_generalized, population bool, unit_alias str | None, row_count str -#}
-- source_values: every value of every generalized or counted attribute, as text
-- reads:   source_combinations
-- returns: one row per attribute and value
--   row_count   source rows with this value   [rows]
{% if unit_alias %}
--               of attributes that a promise counts, persons with this value
{% endif %}
{% if population %}
--               0 if the value occurs in the population alone
{% endif %}
-- nulls:   a null is a value of its own
{% for name, alias, is_generalized in columns %}
{{ "union all " if not loop.first }}select
    {{ name | text }} as attribute,
    cast({{ alias | ident }} as varchar) as value,
{% if unit_alias and not is_generalized %}
    count(distinct {{ unit_alias | ident }}) as row_count
{% else %}
    cast(sum({{ row_count | ident }}) as bigint) as row_count
{% endif %}
from sqlanon.source_combinations
{% if population and not is_generalized %}
where {{ row_count | ident }} > 0
{% endif %}
group by cast({{ alias | ident }} as varchar)
{% endfor %}
