{#- CTEs up to `label_shares`: what each label covers of its attribute's range: `scales`, attributes that may be of numbers or dates -#}
{% if scales %}
scales (attribute, kind) as (
    -- one row per attribute that may be of numbers or dates
    values
{% for attribute, kind in scales %}
        ({{ attribute | text }}, {{ kind | text }}){{ "," if not loop.last }}
{% endfor %}
),
read_values as (
    -- one row per attribute and value: the number and the day that it is
    select
        source_values.attribute,
        source_values.value,
        scales.kind,
        case
            when isfinite(try_cast(source_values.value as double))
                then try_cast(source_values.value as double)
        end as number,
        case
            when isfinite(try_cast(source_values.value as timestamp))
                then epoch(try_cast(source_values.value as timestamp)) / 86400
        end as day
    from sqlanon.source_values
    inner join scales on scales.attribute = source_values.attribute
),
measured_attributes as (
    -- one row per attribute of which every value is a number, or every value a date
    select attribute, count(value) = count(number) and kind in ('numeric', 'any') as is_numeric
    from read_values
    group by attribute, kind
    having count(value) = count(number) and kind in ('numeric', 'any')
        or count(value) = count(day) and kind in ('date', 'any')
),
positions as (
    select
        read_values.attribute,
        read_values.value,
        case
            when measured_attributes.is_numeric then read_values.number
            else read_values.day
        end as position
    from read_values
    inner join measured_attributes on measured_attributes.attribute = read_values.attribute
),
ranges as (
    select attribute, min(position) as lowest, max(position) - min(position) as length
    from positions
    group by attribute
),
label_ranges as (
    -- one row per attribute, level and label with values of the source
    select
        hierarchy_levels.attribute,
        hierarchy_levels.level,
        hierarchy_levels.label,
        max(coalesce(positions.position, ranges.lowest))
            - min(coalesce(positions.position, ranges.lowest)) as length
    from sqlanon.hierarchy_levels
    inner join positions
        on positions.attribute = hierarchy_levels.attribute
        and positions.value is not distinct from hierarchy_levels.value
    inner join ranges on ranges.attribute = hierarchy_levels.attribute
    group by hierarchy_levels.attribute, hierarchy_levels.level, hierarchy_levels.label
),
{% endif %}
domains as (
    -- one row per attribute: its values, and its range if it has one
    select
        generalized_values.attribute,
        sum(generalized_values.leaf_count) as leaf_count,
{% if scales %}
        min(ranges.attribute) is not null as is_measured,
        coalesce(min(ranges.length), 0) as length
    from sqlanon.generalized_values
    left join ranges on ranges.attribute = generalized_values.attribute
{% else %}
        false as is_measured,
        0 as length
    from sqlanon.generalized_values
{% endif %}
    where generalized_values.level = 0
    group by generalized_values.attribute
),
label_shares as (
    -- one row per attribute, level and label: what it covers, and what a suppressed cell costs
    select
        generalized_values.attribute,
        generalized_values.level,
        generalized_values.code,
        generalized_values.row_count,
        case
{% if scales %}
            when domains.is_measured
                then coalesce(label_ranges.length / nullif(domains.length, 0), 0)
{% endif %}
            when generalized_values.leaf_count = 1 then 0
            else cast(generalized_values.leaf_count as double) / domains.leaf_count
        end as share,
        case
            when domains.is_measured and domains.length > 0 then 1
            when not domains.is_measured and domains.leaf_count > 1 then 1
            else 0
        end as whole
    from sqlanon.generalized_values
    inner join domains on domains.attribute = generalized_values.attribute
{% if scales %}
    left join label_ranges
        on label_ranges.attribute = generalized_values.attribute
        and label_ranges.level = generalized_values.level
        and label_ranges.label is not distinct from generalized_values.label
{% endif %}
)
