-- proof_of_ends: no published range ends at a value that fewer than 5 rows have: ranges of
--   numbers and dates on a grid end on its lines, and others at values that enough have
-- reads:   published_rows; source_values
-- returns: one row per attribute with other labels
--   affected   such labels   [count]
with value_persons (attribute_number, value, persons) as (
    -- one row per attribute and value: how many rows have it
    select
        4,
        value,
        row_count
    from sqlanon.source_values
    where attribute = 'select'
),
labels as (
    -- one row per attribute and label, without what it says of missing values
    select
        attribute_number,
        case
            when label like '% or NULL' then substr(label, 1, greatest(length(label) - 8, 0))
            else label
        end as label
    from (
        select distinct 1 as attribute_number, "the ""age""" as label
        from sqlanon.published_rows
        union all select distinct 2 as attribute_number, born as label
        from sqlanon.published_rows
        union all select distinct 4 as attribute_number, "select" as label
        from sqlanon.published_rows
    ) as published_labels
    where label is not null
),
line_ends as (
    -- the same rows: the texts on both sides of the comma
    select
        attribute_number,
        label,
        substr(label, 2, greatest(strpos(label, ', ') - 2, 0)) as opening,
        substr(
            label, greatest(strpos(label, ', ') + 2, 1),
            greatest(length(label) - (strpos(label, ', ') + 2), 0)
        ) as closing
    from labels
),
known_ends as (
    -- what a range may begin or end with, and how many have it; '*' is nobody's value
    select attribute_number, value, persons
    from value_persons
    where value <> '*'
    union all
    select distinct attribute_number, '*', 5
    from labels
),
readings as (
    -- one row per label and way to split it into two texts of the length of such an end
    select
        labels.attribute_number,
        labels.label,
        substr(labels.label, 2, greatest(sizes.size, 0)) as opening,
        substr(
            labels.label, greatest(sizes.size + 4, 1),
            greatest(length(labels.label) - (sizes.size + 4), 0)
        ) as closing
    from labels
    inner join (
        select distinct attribute_number, length(value) as size
        from known_ends
    ) as sizes
        on sizes.attribute_number = labels.attribute_number
        and substr(labels.label, greatest(sizes.size + 2, 1), 2) = ', '
    union all
    select attribute_number, label, label, label
    from labels
)
select 1 as attribute_number, count(*) as affected
from (
    select
        label,
        opening,
        closing,
        exact_opening - ((exact_opening - 1) % 2.5 + 2.5) % 2.5 as opening_line,
        exact_closing - ((exact_closing - 1) % 2.5 + 2.5) % 2.5 as closing_line
    from (
        select
            label,
            opening,
            closing,
            try_cast(opening as decimal(37, 18)) as exact_opening,
            try_cast(closing as decimal(37, 18)) as exact_closing
        from line_ends
        where attribute_number = 1
    ) as exact_ends
) as lines
where not coalesce(
    label like '[%, %)'
    and opening = cast(cast(opening_line as decimal(38, 1)) as varchar)
    and closing = cast(cast(closing_line as decimal(38, 1)) as varchar),
    false
)
having count(*) > 0
union all
select 2 as attribute_number, count(*) as affected
from (
    select
        label,
        opening,
        closing,
        year(exact_opening) * 12 + month(exact_opening) - 1
            - (year(exact_opening) * 12 + month(exact_opening) - 1) % 1 as opening_line,
        year(exact_closing) * 12 + month(exact_closing) - 1
            - (year(exact_closing) * 12 + month(exact_closing) - 1) % 1 as closing_line
    from (
        select
            label,
            opening,
            closing,
            try_cast(substring(opening || '-01-01', 1, 10) as timestamp) as exact_opening,
            try_cast(substring(closing || '-01-01', 1, 10) as timestamp) as exact_closing
        from line_ends
        where attribute_number = 2
    ) as exact_ends
) as lines
where not coalesce(
    label like '[%, %)'
    and opening = substring(cast(10000 + opening_line // 12 as varchar), 2)
            || '-' || substring(cast(101 + opening_line % 12 as varchar), 2)
    and closing = substring(cast(10000 + closing_line // 12 as varchar), 2)
            || '-' || substring(cast(101 + closing_line % 12 as varchar), 2),
    false
)
having count(*) > 0
union all
select readings.attribute_number, count(distinct readings.label) as affected
from readings
inner join known_ends as openings
    on openings.attribute_number = readings.attribute_number
    and openings.value = readings.opening
inner join known_ends as closings
    on closings.attribute_number = readings.attribute_number
    and closings.value = readings.closing
where openings.persons < 5 or closings.persons < 5
group by readings.attribute_number
