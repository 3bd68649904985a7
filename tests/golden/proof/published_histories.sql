-- published_histories: what joins the published rows of each person: the labels of all of them
-- reads:   published_rows; no result of the search
-- returns: one row per person
--   history   number of the person's history: equal for persons who have the same rows of labels,
--             each equally often
-- nulls:   a null is a value of its own
with labeled_rows as (
    select "the ""age""", sex, visitor as person
    from sqlanon.published_rows
),
numbered_labels as (
    -- one row per row of labels that occurs
    select "the ""age""", sex, row_number() over (order by "the ""age""", sex) as label_number
    from (
        select "the ""age""", sex
        from labeled_rows
        group by "the ""age""", sex
    ) as distinct_labels
),
listed_labels as (
    -- one row per person: the rows of labels, each as often as it occurs
    select
        labeled_rows.person,
        list(numbered_labels.label_number order by numbered_labels.label_number) as label_numbers
    from labeled_rows
    inner join numbered_labels
        on numbered_labels."the ""age""" is not distinct from labeled_rows."the ""age"""
        and numbered_labels.sex is not distinct from labeled_rows.sex
    group by labeled_rows.person
),
histories as (
    -- persons with the same list have the same number, and are one class
    select person, dense_rank() over (order by label_numbers) as history
    from listed_labels
)
select person, history
from histories
