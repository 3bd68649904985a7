-- histories_published: the published rows by what they show of the known columns
-- reads:   sqlanon.published_rows, histories_labels
-- returns: one row per pseudonym and class: rows that show the same
--   pseudonym     number of the pseudonym
--   class         number of the class
--   slots         rows   [rows]
--   first_N, last_N   first and last place that the labels of column N cover
with labeled_rows as (
    select
        published_rows.patient as holder,
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
),
classes as (
    select
        *,
        cast(
            row_number() over (
                order by
                    first_1, last_1,
                    first_2, last_2
            ) as integer
        ) as class
    from (
        select
            first_1,
            last_1,
            first_2,
            last_2,
            cast(count(*) as integer) as slots
        from labeled_rows
        group by
            first_1, last_1,
            first_2, last_2
    ) as grouped_rows
),
holders as (
    select holder, cast(row_number() over (order by holder) as integer) as pseudonym
    from (select distinct holder from labeled_rows) as distinct_holders
)
select
    holders.pseudonym,
    classes.class,
    classes.first_1,
    classes.last_1,
    classes.first_2,
    classes.last_2,
    cast(count(*) as integer) as slots
from labeled_rows
inner join holders on holders.holder is not distinct from labeled_rows.holder
inner join classes
    on classes.first_1 = labeled_rows.first_1
    and classes.last_1 = labeled_rows.last_1
    and classes.first_2 = labeled_rows.first_2
    and classes.last_2 = labeled_rows.last_2
group by all
