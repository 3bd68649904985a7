-- published: the rows of the publication, in a staging file until they are proven
-- reads:   dealt_rows, row_combinations, published_classes
-- returns: one row per source row
-- order:   by the published values alone; the order of the source could identify persons
with classed_rows as (
    -- the rows have been dealt to classes
    select
        combinations.ward,
        combinations.case_number,
        combinations.diagnosis,
        combinations.class_1,
        dealt_rows.bucket as class
    from sqlanon.dealt_rows as dealt_rows
    inner join sqlanon.row_combinations as combinations
        on combinations.combination = dealt_rows.combination
)
select
    classed_rows.ward,
    classed_rows.case_number,
    published_classes."the ""age""",
    published_classes.born,
    published_classes."tôwn",
    published_classes."select",
    classed_rows.diagnosis,
    classed_rows.class_1
from classed_rows
inner join sqlanon.published_classes as published_classes
    on published_classes.class = classed_rows.class
order by
    published_classes."position",
    classed_rows.ward,
    classed_rows.case_number,
    classed_rows.diagnosis,
    classed_rows.class_1
