{#- inputs: title str, hits str -#}
-- {{ title }}: pseudonyms with as many rows as a person, each of whose rows they may have
-- reads:   {{ hits }}
-- returns: one row per person and pseudonym
--   is_placed     whether the rows fit different ones of the pseudonym; null if that takes a
--                 matching, because a row fits several
--   edges         the rows with the classes that they fit, and the rows of each class: the input of
--                 the matching
with full_hits as (
    select person, pseudonym, known_number, class, slots, row_count
    from sqlanon.{{ hits }}
    where row_total = row_count
),
parts as (
    select
        *,
        count(*) over (partition by person, pseudonym, class) as class_hits,
        count(*) over (partition by person, pseudonym) as all_hits
    from full_hits
)
select
    person,
    pseudonym,
    case when max(all_hits) = max(row_count) then bool_and(class_hits <= slots) end as is_placed,
    case when max(all_hits) > max(row_count) then list([known_number, class, slots]) end as edges
from parts
group by person, pseudonym
having count(distinct known_number) = max(row_count)
