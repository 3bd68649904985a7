-- population_classes: the population as the publication generalizes it
-- reads:   population_combinations, population_labels
-- returns: one row per combination of published labels
--   population_size   rows of the population   [rows]
select
    labels_1.label as "the ""age""",
    labels_2.label as sex,
    cast(sum(combinations.population_count) as bigint) as population_size
from sqlanon.population_combinations as combinations
inner join sqlanon.population_labels as labels_1
    on labels_1.attribute = 'the "age"'
    and labels_1.value is not distinct from cast(combinations."the ""age""" as varchar)
inner join sqlanon.population_labels as labels_2
    on labels_2.attribute = 'sex'
    and labels_2.value is not distinct from cast(combinations.sex as varchar)
group by labels_1.label, labels_2.label
