{#- CTEs: labels of attributes without a hierarchy, in `published_labels`, as intervals of places; `interval_ranges` -#}
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
