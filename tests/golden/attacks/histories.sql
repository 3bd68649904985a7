-- attack_of_histories_static_13: an attacker who knows what never changes for a person finds few
--   candidates
-- source:  Nergiz, Clifton and Nergiz 2009, Multirelational k-anonymity, TKDE
-- reads:   histories_published; nothing joins rows, so what is left is what one row leaves
-- returns: one row per number of pseudonyms or persons that are left
--   class_size      persons with this number
--   rows_at_risk    these persons if fewer than 2 are left; else 0
--   certainty       1 / number; 0 if nobody is left   [0 to 1]
--   broken          true if fewer than 2 are left; never null
--   left_count      the number; 0: nobody in the publication can be the person
with people (left_count, persons) as (
    select persons, cast(sum(persons) as bigint)
    from sqlanon.histories_published
    group by persons
)
select
    persons as class_size,
    case when left_count between 1 and 1 then persons else 0 end as rows_at_risk,
    case when left_count > 0 then cast(1 as double) / left_count else 0 end as certainty,
    left_count between 1 and 1 as broken,
    left_count,
    nullif(left_count, 0) as least_left,
    case when left_count = 1 then persons else 0 end as persons_alone,
    case when left_count = 0 then persons else 0 end as persons_not_found
from people
