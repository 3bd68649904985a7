-- person_shares: how many persons have the most frequent value of each column, in any of their rows
-- reads:   source
-- returns: one row per column
--   persons    persons; those of one part in 3, by a hash   [persons]
--   most       persons with the most frequent value   [persons]
--   several    persons with different values   [persons]
-- nulls:   a missing value is a value of its own
with read_columns as (
    select
        "tôwn" as person,
        "the ""age""" collate "binary" as column_1,
        "select" collate "binary" as column_2
    from sqlanon.source
    where hash("tôwn") % 3 = 0
),
values_of_persons as (
    select distinct column_name, person, value
    from read_columns
    unpivot include nulls (
        value for column_name in (
            column_1,
            column_2
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
