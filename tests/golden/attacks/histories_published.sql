-- histories_published: the published rows by what they show of the known columns
-- reads:   sqlanon.published_rows, histories_labels
-- returns: one row per pseudonym and class: rows that show the same
--   pseudonym     number of the pseudonym
--   class         number of the class
--   slots         rows   [rows]
--   first_N, last_N   first and last place that the labels of column N cover
with labeled_rows as (
    select
        cast(dense_rank() over (order by published_rows.patient) as integer) as pseudonym,
        labels_1.first_place as first_1,
        labels_1.last_place as last_1,
        labels_2.first_place as first_2,
        labels_2.last_place as last_2
    from sqlanon.published_rows as published_rows
    inner join sqlanon.histories_labels as labels_1
        on labels_1.attribute_number = 1
        and labels_1.label is not distinct from cast(published_rows.age as varchar)
    inner join sqlanon.histories_labels as labels_2
        on labels_2.attribute_number = 2
        and labels_2.label is not distinct from cast(published_rows.zip as varchar)
)
select
    pseudonym,
    cast(
        dense_rank() over (
            order by
                first_1, last_1,
                first_2, last_2
        ) as integer
    ) as class,
    cast(count(*) as integer) as slots,
    first_1,
    last_1,
    first_2,
    last_2
from labeled_rows
group by
    pseudonym,
    first_1, last_1,
    first_2, last_2
