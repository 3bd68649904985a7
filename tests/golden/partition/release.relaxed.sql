-- release: what plan publishes of it's.csv, in the order of the published values
--   ward               '*' in every row
--   case_number        a keyed hash
--   the "age"          the interval of its class, on a grid in steps of 2.5 from 1, from
--                      class_labels
--   born               the interval of its class, on a grid by month, from class_labels
--   tôwn               the label of its class, from class_labels
--   select             the interval of its class, from class_labels
--   diagnosis, class_1 as in the source
--   not published      patient (an identifier); rows without a value of the "age" or born or tôwn
--                      or select or diagnosis
--   classes            the table is cut repeatedly (step regions); class_cells holds them
--   boxes              those of their rows, one per class and column; class_regions holds them
--   decides            which rows are kept: the "age", born, tôwn, select, diagnosis
--   promise            every published row shares its quasi-identifiers with at least 4 others (k =
--                      5)
--   promise            every class holds at least 3 different values of diagnosis
-- reads:   dealt_rows, row_combinations, class_labels
-- returns: one row per source row
-- order:   by the published values alone; the order of the source could identify persons
with classed_rows as (
    -- one row per source row: the class that it was dealt to
    select
        row_combinations.ward,
        row_combinations.case_number,
        row_combinations.diagnosis,
        row_combinations.class_1,
        dealt_rows.bucket as class
    from sqlanon.dealt_rows
    inner join sqlanon.row_combinations
        on row_combinations.combination = dealt_rows.combination
)
select
    classed_rows.ward,
    classed_rows.case_number,
    class_labels."the ""age""",
    class_labels.born,
    class_labels."tôwn",
    class_labels."select",
    classed_rows.diagnosis,
    classed_rows.class_1
from classed_rows
inner join sqlanon.class_labels
    on class_labels.class = classed_rows.class
order by
    class_labels.class_position,
    classed_rows.ward,
    classed_rows.case_number,
    classed_rows.diagnosis,
    classed_rows.class_1
