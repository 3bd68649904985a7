-- attack_of_membership_9: a person of the population is in the table with a probability below 0 or
--   above 0.9
-- source:  Nergiz, Atzori and Clifton 2007, Hiding the presence of individuals
-- reads:   sqlanon.published_equivalence_classes, rows that share all published quasi-identifiers,
--   with population_size
-- returns: one row per class
--   class_size     rows of the class   [rows]
--   rows_at_risk   all rows if certainty is below 0 or above 0.9, compared
--                  exactly; else 0   [rows]
--   certainty      rows / persons of the population in the class   [0 to 1]
--   broken         true if rows are at risk; never null
--   persons, persons_in, persons_at_risk   of the population in the class: all; if they are as
--                  many as its rows, so that all are in the table; if rows are at risk   [persons]
-- nulls:   a null quasi-identifier is a value of its own
select
    classes.age, classes.zip,
    classes.class_size,
    case
        when classes.class_size > 0.9 * classes.population_size
            or classes.class_size < 0 * classes.population_size
            then classes.class_size
        else 0
    end as rows_at_risk,
    cast(classes.class_size as double) / classes.population_size as certainty,
    classes.class_size > 0.9 * classes.population_size
        or classes.class_size < 0 * classes.population_size as broken,
    classes.population_size as persons,
    case
        when classes.class_size >= classes.population_size then classes.population_size
        else 0
    end as persons_in,
    case
        when classes.class_size > 0.9 * classes.population_size
            or classes.class_size < 0 * classes.population_size
            then classes.population_size
        else 0
    end as persons_at_risk
from sqlanon.published_equivalence_classes as classes
