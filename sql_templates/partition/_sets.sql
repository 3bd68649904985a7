{#- CTEs: `set_labels`, the label of every class and nominal attribute in `sets`, with the places that it covers -#}
{% import "proof/_labels.sql" as labels_of_sets %}
{% set along = sets | selectattr("hierarchy") | map(attribute="number") | list %}
{% if labels == "tight" %}
class_places as (
    -- one row per class, attribute and place that a row of the class has
{% for attribute in sets %}
    {{ "union all\n    " if not loop.first }}select distinct
        class,
        {{ attribute.number }} as attribute_number,
        {{ attribute.place | ident }} as place
    from sqlanon.class_cells
    where row_count > 0
{% endfor %}
),
{% endif %}
set_members as (
    -- one row per class, attribute and value {{ "that a row of the class has" if labels == "tight" else "in the box of the class" }}
    select
        class_regions.class,
        class_regions.attribute_number,
        class_regions.first_place,
        class_regions.last_place,
        value_places.place,
        value_places.value,
        value_places.name,
        value_places.row_count
    from sqlanon.class_regions
    inner join sqlanon.value_places
        on value_places.attribute_number = class_regions.attribute_number
        and value_places.place between class_regions.first_place and class_regions.last_place
{% if labels == "tight" %}
    inner join class_places
        on class_places.class = class_regions.class
        and class_places.attribute_number = class_regions.attribute_number
        and class_places.place = value_places.place
{% endif %}
    where class_regions.attribute_number in ({{ sets | map(attribute="number") | join(", ") }})
),
class_sets as (
    -- one row per class and attribute: its set
    select
        class,
        attribute_number,
        first_place,
        last_place,
        count(*) as member_count,
        count(value) as value_count,
        count(name) as name_count,
        min(value) as least_value,
        string_agg(name, ', ' order by place) as names,
        cast(sum(row_count) as bigint) as row_count
    from set_members
    group by class, attribute_number, first_place, last_place
),
{% if along %}
set_ancestors as (
    -- one row per class and attribute: the lowest label that covers the set, unless it covers one
    -- value alone or can be read as a value or a set
    select
        covering.class,
        covering.attribute_number,
        covering.label,
        covering.first_place,
        covering.last_place
    from (
        select
            class_sets.class,
            class_sets.attribute_number,
            label_places.label,
            label_places.first_place,
            label_places.last_place,
            row_number() over (
                partition by class_sets.class, class_sets.attribute_number
                order by label_places.level
            ) as preference
        from class_sets
        inner join sqlanon.label_places
            on label_places.attribute_number = class_sets.attribute_number
            and label_places.place = class_sets.first_place
            and label_places.last_place >= class_sets.last_place
    ) as covering
    left join sqlanon.value_places as same_texts
        on same_texts.attribute_number = covering.attribute_number
        and same_texts.value = covering.label
    where covering.preference = 1
        and covering.first_place < covering.last_place
        and same_texts.attribute_number is null
        and not (covering.label like {{ "{%" | text }})
        and not (covering.label like '% or NULL')
),
{% endif %}
all_values as (
    -- one row per attribute: its values, and their places
    select
        attribute_number,
        count(value) as value_count,
        min(place) filter (where value is not null) as first_place,
        max(place) as last_place
    from sqlanon.value_places
    group by attribute_number
),
set_labels as (
    -- one row per class and attribute; is_named: the members are all that the label covers
    select
        judged_sets.class,
        judged_sets.attribute_number,
        judged_sets.is_named,
        judged_sets.member_count,
        judged_sets.row_count,
        coalesce(
{% if along %}
            set_ancestors.first_place,
{% endif %}
            case when judged_sets.holds_null then 0 else all_values.first_place end
        ) as first_place,
        {{ "coalesce(set_ancestors.last_place, all_values.last_place)" if along else "all_values.last_place" }} as last_place,
        {{ labels_of_sets.written_set("judged_sets", "all_values.value_count", "judged_sets.or_null", "set_ancestors.label" if along) }} as label
    from (
        select
            *,
            value_count <= {{ names }} and name_count = value_count as is_named,
            member_count > value_count as holds_null,
            case when member_count > value_count then ' or NULL' else '' end as or_null
        from class_sets
    ) as judged_sets
    inner join all_values
        on all_values.attribute_number = judged_sets.attribute_number
{% if along %}
    left join set_ancestors
        on set_ancestors.class = judged_sets.class
        and set_ancestors.attribute_number = judged_sets.attribute_number
{% endif %}
),
