{#- inputs: attribute str, value str, person str, key list[str], row_count str -#}
{% set keys %}{% for column in key %}key_{{ loop.index }}, {% endfor %}{% endset %}
-- several_values: how many persons have several values of {{ attribute | comment }}
-- reads:   source_combinations
-- returns: one row
--   persons       those with several values anywhere in the table
--   classes       the finest classes in which a person has several values
--   row_count     rows of these classes
with person_values as (
    -- the values of each person in each of the finest classes; a missing one is a value of its own
    select
{% for column in key %}
        {{ column | ident }} as key_{{ loop.index }},
{% endfor %}
        {{ person | ident }} as person,
        {{ value | ident }} as value,
        sum({{ row_count | ident }}) as row_count
    from sqlanon.source_combinations
    group by {% for column in key %}{{ column | ident }}, {% endfor %}{{ person | ident }}, {{ value | ident }}
),
class_persons as (
    select {{ keys }}person, count(*) as value_count, sum(row_count) as row_count
    from person_values
    group by {{ keys }}person
),
finest_classes as (
    select {{ keys }}max(value_count) as value_count, sum(row_count) as row_count
    from class_persons
    group by {% for column in key %}key_{{ loop.index }}{{ ", " if not loop.last }}{% endfor %}

),
several as (
    select person
    from (select distinct person, value from person_values) as different_values
    group by person
    having count(*) > 1
)
select
    (select count(*) from several) as persons,
    count(*) as classes,
    cast(coalesce(sum(row_count), 0) as bigint) as row_count
from finest_classes
where value_count > 1
