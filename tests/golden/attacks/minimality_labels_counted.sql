-- attack_of_minimality_labels_10: a person who alone has an extreme value of a tight label must
--   be in the table
-- source:  Wong, Fu, Wang and Pei 2007, Minimality attack, VLDB
-- reads:   attack_of_minimality_labels_10_bounds, attack_of_minimality_labels_10_cases
-- returns: one row per class
--   class_size      rows, or persons, of the class
--   rows_at_risk    persons who are in every set of persons that has the labels of the class
--   certainty       largest share of these sets that a person is in; where they were not counted,
--                   a lower bound   [0 to 1]
--   broken          true if a person is certainly in the table; never null
-- nulls:   a null quasi-identifier is a value of its own
with counted_cases (case_number, certain_persons, certainty) as (
    select 1, 2, 1.0
)
select
    bounds.age, bounds.zip,
    bounds.class_size,
    coalesce(counted_cases.certain_persons, bounds.rows_at_risk) as rows_at_risk,
    coalesce(counted_cases.certainty, bounds.certainty) as certainty,
    coalesce(counted_cases.certain_persons > 0, bounds.broken) as broken
from sqlanon.attack_of_minimality_labels_10_bounds as bounds
left join sqlanon.attack_of_minimality_labels_10_cases as cases
    on cases.age is not distinct from bounds.age
    and cases.zip is not distinct from bounds.zip
left join counted_cases
    on counted_cases.case_number = cases.case_number
