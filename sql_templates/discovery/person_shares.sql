{#- inputs: person str, columns list[dict[alias str, text str]], parts int -#}
-- person_shares: how many persons have the most frequent value of each column, in any of their rows
-- reads:   source
-- returns: one row per column
--   persons    persons; {{ "all" if parts == 1 else "those of one part in " ~ parts ~ ", by a hash" }}   [persons]
--   most       persons with the most frequent value   [persons]
--   several    persons with different values   [persons]
-- nulls:   a missing value is a value of its own
with read_columns as (
    select
        {{ person }} as person,
{% for column in columns %}
        {{ column.text }} as {{ column.alias }}{{ "," if not loop.last }}
{% endfor %}
    from sqlanon.source
{% if parts > 1 %}
    where hash({{ person }}) % {{ parts }} = 0
{% endif %}
),
values_of_persons as (
    select distinct column_name, person, value
    from read_columns
    unpivot include nulls (
        value for column_name in (
{% for column in columns %}
            {{ column.alias }}{{ "," if not loop.last }}
{% endfor %}
        )
    )
),
persons as (
    select column_name, person, count(*) as value_count
    from values_of_persons
    group by column_name, person
),
persons_of_values as (
    select column_name, count(*) as persons
    from values_of_persons
    group by column_name, value
),
most_frequent as (
    select column_name, max(persons) as most
    from persons_of_values
    group by column_name
)
select
    persons.column_name,
    count(*) as persons,
    any_value(most_frequent.most) as most,
    count(*) filter (persons.value_count > 1) as several
from persons
inner join most_frequent on most_frequent.column_name = persons.column_name
group by persons.column_name
order by persons.column_name
