-- label_ranges: which values each published label stands for, read off the label itself
-- reads:   published_rows, value_places, label_places
-- returns: one row per attribute and label
--   first_place, last_place   the places from which to which the label extends; null if it cannot
--                             be read
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
    -- labels of a hierarchy; of several levels the widest
    select
        published_labels.attribute_number,
        published_labels.label,
        min(label_places.first_place) as first_place,
        max(label_places.last_place) as last_place
    from published_labels
    inner join sqlanon.label_places as label_places
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
interval_ranges as (
    -- one value, or [lowest, highest]
    select
        interval_texts.attribute_number,
        interval_texts.label,
        case when interval_texts.holds_null then 0 else value_places.place end as first_place,
        value_places.place as last_place
    from interval_texts
    inner join sqlanon.value_places as value_places
        on value_places.attribute_number = interval_texts.attribute_number
        and value_places.value is not distinct from interval_texts.interval_text
    union all
    select
        interval_texts.attribute_number,
        interval_texts.label,
        case when interval_texts.holds_null then 0 else lowest.place end,
        highest.place
    from interval_texts
    inner join sqlanon.value_places as lowest
        on lowest.attribute_number = interval_texts.attribute_number
        and starts_with(interval_texts.interval_text, '[' || lowest.value || ', ')
    inner join sqlanon.value_places as highest
        on highest.attribute_number = interval_texts.attribute_number
        and interval_texts.interval_text = '[' || lowest.value || ', ' || highest.value || ']'
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
