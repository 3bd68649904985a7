-- label_ranges: which values each published label stands for, derived from the label alone
-- reads:   published_rows, value_places, label_places
-- returns: one row per attribute and label
--   first_place, last_place   first and last place that the label covers; null if it cannot be
--                             read; of several possible readings, the widest
-- nulls:   a null label stands for missing values
with published_labels as (
    select 1 as attribute_number, cast("the ""age""" as varchar) as label
    from sqlanon.published_rows
    group by "the ""age"""
    union all select 2 as attribute_number, cast(born as varchar) as label
    from sqlanon.published_rows
    group by born
    union all select 3 as attribute_number, cast("tôwn" as varchar) as label
    from sqlanon.published_rows
    group by "tôwn"
    union all select 4 as attribute_number, cast("select" as varchar) as label
    from sqlanon.published_rows
    group by "select"
),
hierarchy_ranges as (
    -- labels of a hierarchy
    select
        published_labels.attribute_number,
        published_labels.label,
        min(label_places.first_place) as first_place,
        max(label_places.last_place) as last_place
    from published_labels
    inner join sqlanon.label_places
        on label_places.attribute_number = published_labels.attribute_number
        and label_places.label is not distinct from published_labels.label
    group by published_labels.attribute_number, published_labels.label
),
interval_texts as (
    select
        attribute_number,
        label,
        case
            when label like '% or NULL' then substr(label, 1, length(label) - 8)
            else label
        end as interval_text,
        label like '% or NULL' as holds_null
    from published_labels
    where attribute_number not in (select attribute_number from sqlanon.label_places)
),
value_sizes as (
    select distinct attribute_number, length(value) as size
    from sqlanon.value_places
),
interval_ends as (
    -- one value, or [lowest, highest], split at every position where a value could end
    select attribute_number, label, holds_null, interval_text as lowest, interval_text as highest
    from interval_texts
    union all
    select
        interval_texts.attribute_number,
        interval_texts.label,
        interval_texts.holds_null,
        substr(interval_texts.interval_text, 2, greatest(value_sizes.size, 0)),
        substr(
            interval_texts.interval_text,
            greatest(value_sizes.size + 4, 1),
            greatest(length(interval_texts.interval_text) - value_sizes.size - 4, 0)
        )
    from interval_texts
    inner join value_sizes
        on value_sizes.attribute_number = interval_texts.attribute_number
        and substr(interval_texts.interval_text, greatest(value_sizes.size + 2, 1), 2) = ', '
    where interval_texts.interval_text like '[%]'
),
interval_ranges as (
    -- of several possible readings, the widest
    select
        interval_ends.attribute_number,
        interval_ends.label,
        min(case when interval_ends.holds_null then 0 else lowest.place end) as first_place,
        max(highest.place) as last_place
    from interval_ends
    inner join sqlanon.value_places as lowest
        on lowest.attribute_number = interval_ends.attribute_number
        and lowest.value is not distinct from interval_ends.lowest
    inner join sqlanon.value_places as highest
        on highest.attribute_number = interval_ends.attribute_number
        and highest.value is not distinct from interval_ends.highest
    group by interval_ends.attribute_number, interval_ends.label
),
ranges as (
    select * from hierarchy_ranges
    union all
    select * from interval_ranges
)
select
    published_labels.attribute_number,
    published_labels.label,
    cast(min(ranges.first_place) as integer) as first_place,
    cast(max(ranges.last_place) as integer) as last_place
from published_labels
left join ranges
    on ranges.attribute_number = published_labels.attribute_number
    and ranges.label is not distinct from published_labels.label
group by published_labels.attribute_number, published_labels.label
