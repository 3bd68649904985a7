-- attack_of_minimality_labels_10: a person who alone has an extreme value of a tight label must be
--   in the table
-- source:  Wong, Fu, Wang and Pei 2007, Minimality attack, VLDB
-- reads:   attack_of_minimality_labels_10_cases, and the cases counted below
-- returns: one row per class
--   class_size      rows, or persons, of the class
--   rows_at_risk    persons who are in every set of persons that has the labels of the class
--   certainty       largest share of these sets that a person is in; where they were not counted,
--                   a lower bound   [0 to 1]
--   broken          true if a person is certainly in the table; never null
-- nulls:   a null quasi-identifier is a value of its own
with counted_cases (case_number, certain_persons, certainty) as (
    select 1, 2, cast(1.0 as double)
)
select
    cases.age, cases.zip,
    cases.class_size,
    counted_cases.certain_persons as rows_at_risk,
    counted_cases.certainty,
    counted_cases.certain_persons > 0 as broken
from sqlanon.attack_of_minimality_labels_10_cases as cases
inner join counted_cases on counted_cases.case_number = cases.case_number
