{#- inputs: quasi_identifiers list[str], sets bool -#}
{% import "proof/_labels.sql" as labels %}
-- label_ranges: which values each published label stands for, derived from the label alone
-- reads:   published_rows, value_places, label_places
-- returns: one row per attribute and label; of a set, one per range of neighbors in it
--   first_place, last_place   first and last place that the label covers; null if it cannot be
--                             read; of several possible readings, the widest
-- nulls:   a null label stands for missing values
with {{ labels.published(quasi_identifiers, numbered=true) }},
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
    where published_labels.attribute_number in (
        select attribute_number
        from sqlanon.value_places
        where kind = 'categorical'
    )
    group by published_labels.attribute_number, published_labels.label
),
{% include "proof/_interval_labels.sql" %},
{% if sets %}
{% include "proof/_set_labels.sql" %},
joined_sets as (
    -- the same ranges, numbered: those that follow each other without a gap have one number
    select
        *,
        last_place - sum(last_place - first_place + 1) over (
            partition by attribute_number, label order by first_place
        ) as number
    from set_ranges
),
{% endif %}
ranges as (
    select attribute_number, label, 0 as number, first_place, last_place from hierarchy_ranges
    union all
    select attribute_number, label, 0, first_place, last_place from interval_ranges
{% if sets %}
    union all
    select attribute_number, label, number, min(first_place), max(last_place)
    from joined_sets
    group by attribute_number, label, number
{% endif %}
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
group by published_labels.attribute_number, published_labels.label, ranges.number
