{#- inputs: attributes list[CutAttribute], counted list[CountedColumn], names dict[str, str], key str -#}
-- turned_rows: every row with the turn in which a relaxed cut deals it to a side
-- reads:   keyed_rows, row_combinations, value_places{% for column in counted %}, {{ column.named("table_values") }}{% endfor %}

-- returns: one row per source row: the number of its distinct row, its places{{ ", its value codes" if counted }}
--   {{ key }}   key of the row
--   deal   turn of the row: rows with equal places are consecutive, in an order that depends on
{% if counted %}
--          the seed alone; consecutive rows with equal values share a turn
{% else %}
--          the seed alone, and share a turn
{% endif %}
-- order:   no value decides which row comes first. The key of a row is the keyed hash of its values
--   and of a number that distinguishes equal rows. No two rows share both, so without the seed the
--   keys are like independent random numbers, and every order of the keys is equally likely,
--   whatever the values. Equal rows are not kept together, because that would disclose that they
--   are equal
with {% include "buckets/_coded_combinations.sql" %},
placed_rows as (
    -- one row per source row: its key, and the least key of all rows at its places
    select
        coded_combinations.*,
        keyed_rows.{{ key | ident }},
        min(keyed_rows.{{ key | ident }}) over (
            partition by
{% for attribute in attributes %}
                coded_combinations.{{ attribute.place | ident }}{{ "," if not loop.last }}
{% endfor %}
        ) as first_key
    from sqlanon.keyed_rows
    inner join coded_combinations on coded_combinations.combination = keyed_rows.combination
),
opening_rows as (
    -- the same rows: does a turn begin with this one?
    select
        *,
        {{ key | ident }} = first_key{% for column in counted %}

            or {{ column.named("value") }} is distinct from lag({{ column.named("value") }}) over turns{% endfor %} as opens
    from placed_rows
    window turns as (order by first_key, {{ key | ident }})
)
select
    combination,
{% for attribute in attributes %}
    {{ attribute.place | ident }},
{% endfor %}
{% for column in counted %}
    {{ column.named("value") }},
{% endfor %}
    {{ key | ident }},
    sum(case when opens then 1 else 0 end) over (
        order by first_key, {{ key | ident }} rows unbounded preceding
    ) as deal
from opening_rows
