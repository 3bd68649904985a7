{#- inputs: attributes list[CutAttribute], counted list[tuple[int, str]], names dict[str, str], key str -#}
-- turned_rows: every row with the turn in which a relaxed cut deals it to a side
-- reads:   keyed_rows, row_combinations, value_places{% for number, name in counted %}, table_values_{{ number }}{% endfor %}

-- returns: one row per source row: the number of its distinct row, its places{{ ", its value codes" if counted }}
--   {{ key }}   key of the row
--   deal    turn of the row: rows with equal places are consecutive, in an order that depends on
{% if counted %}
--           the seed alone; consecutive rows with equal values share a turn
{% else %}
--           the seed alone, and share a turn
{% endif %}
-- order:   no value decides which row comes first. The key of a row is the keyed hash of its values
--   and of a number that distinguishes equal rows. No two rows share both, so without the seed the
--   keys are like independent random numbers, and every order of the keys is equally likely,
--   whatever the values. Equal rows are not kept together, because that would disclose that they
--   are equal
with {% include "buckets/_coded_combinations.sql" %},
placed_rows as (
    select
        coded_combinations.*,
        keyed_rows.{{ key }},
        min(keyed_rows.{{ key }}) over (
            partition by
{% for attribute in attributes %}
                coded_combinations.place_{{ attribute.number }}{{ "," if not loop.last }}
{% endfor %}
        ) as first_key
    from sqlanon.keyed_rows as keyed_rows
    inner join coded_combinations on coded_combinations.combination = keyed_rows.combination
),
opening_rows as (
    select
        *,
        {{ key }} = first_key{% for number, name in counted %}

            or value_{{ number }} is distinct from lag(value_{{ number }}) over turns{% endfor %} as opens
    from placed_rows
    window turns as (order by first_key, {{ key }})
)
select
    combination,
{% for attribute in attributes %}
    place_{{ attribute.number }},
{% endfor %}
{% for number, name in counted %}
    value_{{ number }},
{% endfor %}
    {{ key }},
    sum(case when opens then 1 else 0 end) over (
        order by first_key, {{ key }} rows unbounded preceding
    ) as deal
from opening_rows
