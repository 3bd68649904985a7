{#- inputs: title str, placed str, published str -#}
-- {{ title }}: pseudonyms with just as many rows in each class as the person
-- reads:   {{ placed }}, {{ published }}
-- returns: one row per person all of whose rows fit a class
--   remaining     pseudonyms
with known_histories as (
    select person, row_count, list([class, slots] order by class) as history
    from (
        select person, row_count, class, count(*) as slots
        from sqlanon.{{ placed }}
        group by person, row_count, class
    ) as parts
    group by person, row_count
    having sum(slots) = row_count
),
published_histories as (
    select history, count(*) as pseudonyms
    from (
        select pseudonym, list([class, slots] order by class) as history
        from sqlanon.{{ published }}
        group by pseudonym
    ) as histories
    group by history
)
select known_histories.person, published_histories.pseudonyms as remaining
from known_histories
inner join published_histories on published_histories.history = known_histories.history
