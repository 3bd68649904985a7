-- attack_of_minimality_labels_10_labels: which values each published label stands for, derived
--   from the label alone
-- reads:   sqlanon.published_rows, attack_of_minimality_labels_10_persons, value_places,
--   label_places
-- returns: one row per attribute, label and value
--   attribute_number   of the quasi-identifier: 1 age, 2 zip
--   form    interval: [lowest, highest] or one value; set: {value, value}; ancestor: a label of
--           a hierarchy
--   place   place of the value in the order of its attribute; null if the values have no order
-- nulls:   a null label and a null value are missing values
with published_labels (attribute_number, attribute, label) as (
    select 1, 'age', cast(age as varchar)
    from sqlanon.published_rows
    group by cast(age as varchar)
    union all select 2, 'zip', cast(zip as varchar)
    from sqlanon.published_rows
    group by cast(zip as varchar)
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
)
select
    ranges.attribute_number,
    'interval' as form,
    ranges.label,
    value_places.value,
    value_places.place
from interval_ranges as ranges
inner join sqlanon.value_places
    on value_places.attribute_number = ranges.attribute_number
    and value_places.place between ranges.first_place and ranges.last_place
union all
-- labels of a hierarchy
select distinct
    published_labels.attribute_number,
    'ancestor',
    published_labels.label,
    value_places.value,
    value_places.place
from published_labels
inner join sqlanon.label_places
    on label_places.attribute_number = published_labels.attribute_number
    and label_places.label is not distinct from published_labels.label
inner join sqlanon.value_places
    on value_places.attribute_number = label_places.attribute_number
    and value_places.place = label_places.place
union all
-- sets, for values that the other forms do not cover
select
    published_labels.attribute_number,
    'set',
    published_labels.label,
    value_places.value,
    value_places.place
from published_labels
inner join sqlanon.value_places
    on value_places.attribute_number = published_labels.attribute_number
    and strpos(
        ', ' || substr(
            published_labels.label, 2, greatest(length(published_labels.label) - 2, 0)
        ) || ', ',
        ', ' || coalesce(value_places.value, 'NULL') || ', '
    ) > 0
left join interval_ranges as ranges
    on ranges.attribute_number = published_labels.attribute_number
    and ranges.label = published_labels.label
where published_labels.label like '{%}'
    and ranges.label is null
    and not exists (
        select 1
        from sqlanon.label_places
        where label_places.attribute_number = published_labels.attribute_number
            and label_places.label = published_labels.label
    )
