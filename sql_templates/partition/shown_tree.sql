{#- inputs: with_values bool, population bool -#}
-- shown_tree: the cuts for readers, in their order, with the number of rows on each side
-- reads:   partition_tree, places{{ ", label_places" if with_values }}
-- returns: one row per region of every round; the first is the whole table
--   attribute   attribute of the cut that made the region; null for the whole table
--   row_count   source rows{{ "; population_count: rows of the population" if population }}   [rows]
{% if with_values %}
--   lowest, highest   ends of this side of a cut in two, as the published regions show them
--   label             label of this side of a cut into labels
{% else %}
--   first_place, last_place   ends of this side of the cut, as numbers in the attribute's order,
--                     because the publication does not disclose all values
{% endif %}
--   is_class    true if the region is not cut again
with bounded_sides as (
    select
        partition_tree.*,
        least(partition_tree.last_place, scales.last_place) as end_place,
        scales.attribute
    from sqlanon.partition_tree
    left join (
        select attribute_number, attribute, max(place) as last_place
        from sqlanon.places
        group by attribute_number, attribute
    ) as scales
        on scales.attribute_number = partition_tree.attribute_number
),
{% if with_values %}
covering_labels as (
    -- of labels that cover the same places, the coarsest, which discloses least
    select attribute_number, first_place, last_place, label
    from (
        select
            *,
            row_number() over (
                partition by attribute_number, first_place, last_place order by level desc, place
            ) as preference
        from sqlanon.label_places
    ) as labels
    where preference = 1
),
{% endif %}
cut_regions as (
    select distinct round - 1 as round, parent as region
    from sqlanon.partition_tree
)
select
    bounded_sides.round,
    bounded_sides.region,
    case when bounded_sides.round > 0 then bounded_sides.parent end as parent,
    bounded_sides.attribute,
{% if with_values %}
    case when labels.label is null then substring(lowest.opening, 2) end as lowest,
    case
        when labels.label is null
            then substring(highest.closing, 1, greatest(length(highest.closing) - 1, 0))
    end as highest,
    labels.label,
{% else %}
    case when bounded_sides.round > 0 then bounded_sides.first_place end as first_place,
    case when bounded_sides.round > 0 then bounded_sides.end_place end as last_place,
{% endif %}
{% if population %}
    bounded_sides.population_count,
{% endif %}
    bounded_sides.row_count,
    cut_regions.region is null as is_class
from bounded_sides
left join cut_regions
    on cut_regions.round = bounded_sides.round
    and cut_regions.region = bounded_sides.region
{% if with_values %}
left join covering_labels as labels
    on labels.attribute_number = bounded_sides.attribute_number
    and labels.first_place = bounded_sides.first_place
    and labels.last_place = bounded_sides.end_place
left join sqlanon.places as lowest
    on lowest.attribute_number = bounded_sides.attribute_number
    and lowest.place = bounded_sides.first_place
left join sqlanon.places as highest
    on highest.attribute_number = bounded_sides.attribute_number
    and highest.place = bounded_sides.end_place
{% endif %}
order by bounded_sides.round, bounded_sides.region
