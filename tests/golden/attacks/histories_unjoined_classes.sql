-- attack_of_histories_static_1: who knows what never changes for a person finds few who can be
--   the person
-- source:  Nergiz, Clifton and Nergiz 2009, Multirelational k-anonymity, TKDE
-- reads:   histories_persons; nothing joins rows, so what is left is what one row leaves
-- returns: one row per number of persons of a class
--   class_size      persons of such classes
--   rows_at_risk    these persons if fewer than 2 are left; else 0
--   certainty       1 / number   [0 to 1]
--   broken          true if fewer than 2 are left; never null
--   left_count      the number
select
    cast(sum(persons) as bigint) as class_size,
    case when persons < 2 then cast(sum(persons) as bigint) else 0 end as rows_at_risk,
    cast(1 as double) / persons as certainty,
    persons < 2 as broken,
    persons as left_count,
    persons as least_left,
    case when persons = 1 then cast(sum(persons) as bigint) else 0 end as persons_alone,
    0 as persons_not_found
from sqlanon.histories_persons
group by persons
