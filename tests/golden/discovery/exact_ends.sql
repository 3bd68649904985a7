-- exact_ends: values that fewer than 5 persons have, of columns whose ranges end at values
-- reads:   source
-- returns: one row per column: its number, its values, and those of them that are so rare
select
    1 as column_number,
    count(*) as values,
    count(*) filter (where persons < 5) as rare_values
from (
    select "the ""age""", count(distinct who) as persons
    from sqlanon.source
    where "the ""age""" is not null
    group by "the ""age"""
) as value_persons
union all
select
    2 as column_number,
    count(*) as values,
    count(*) filter (where persons < 5) as rare_values
from (
    select born, count(distinct who) as persons
    from sqlanon.source
    where born is not null
    group by born
) as value_persons
order by column_number
