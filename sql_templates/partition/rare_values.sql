{#- inputs: ends list[CutAttribute], unit_alias str | None, least_persons int -#}
-- rare_values: of numbers and dates, the values that fewer than {{ least_persons }} {{ "persons" if unit_alias else "rows" }} have, so that
--   no range may end at them
-- reads:   {{ "source_combinations" if unit_alias else "source_values" }}
-- returns: one row per attribute with such values
--   rare_persons   {{ "persons" if unit_alias else "rows" }} who have them, by value
--   low, high      quartiles of these values; lowest, highest: the extremes   [position]
with {% include "partition/_value_persons.sql" %}

positions as (
    -- one row per attribute and such a value: its position
{% for attribute in ends %}
    {{ "union all\n    " if not loop.first }}select
        attribute_number,
        persons,
{% if attribute.kind == "numeric" %}
        try_cast(value as double) as position
{% else %}
        epoch(try_cast(value as timestamp)) / 86400 as position
{% endif %}
    from value_persons
    where attribute_number = {{ attribute.number }} and persons < {{ least_persons }}
        and value is not null
{% endfor %}
)
select
    attribute_number,
    cast(sum(persons) as bigint) as rare_persons,
    min(position) filter (where 4 * rank >= total) as low,
    min(position) filter (where 4 * rank >= 3 * total) as high,
    min(position) as lowest,
    max(position) as highest
from (
    select
        attribute_number,
        persons,
        position,
        row_number() over (partition by attribute_number order by position) as rank,
        count(*) over (partition by attribute_number) as total
    from positions
) as ranked_positions
group by attribute_number
order by attribute_number
