-- proof_of_hierarchies: errors in hierarchies; no row means that all hierarchies are valid
-- reads:   hierarchy_levels, source_values
-- returns: one row per attribute, level and problem
--   affected   affected values, labels, or (for values without a row) source rows   [count]
with repeated_values as (
    select attribute, value
    from sqlanon.hierarchy_levels
    where level = 0
    group by attribute, value
    having count(*) > 1
),
parted_labels as (
    select attribute, level, label
    from sqlanon.hierarchy_levels
    where label is not null
    group by attribute, level, label
    having count(distinct coarser_label) > 1
),
top_levels as (
    select attribute, max(level) as level
    from sqlanon.hierarchy_levels
    group by attribute
),
problems (attribute, level, problem, affected) as (
    select attribute, 0, 'value has more than one row', count(*)
    from repeated_values
    group by attribute
    union all
    select attribute, 0, 'source rows hold a value without a row', sum(row_count)
    from sqlanon.source_values
    where attribute in (
        'the "age"', 'born', 'zip', 'select', 'longitude', 'tôwn', 'work', 'sex', 'diagnosis'
    )
        and not exists (
            select 1
            from sqlanon.hierarchy_levels
            where hierarchy_levels.attribute = source_values.attribute
                and hierarchy_levels.level = 0
                and hierarchy_levels.value is not distinct from source_values.value
        )
    group by attribute
    union all
    select attribute, level, 'value has no label', count(*)
    from sqlanon.hierarchy_levels
    where value is not null and label is null
    group by attribute, level
    union all
    select attribute, level + 1, 'label below has more than one label here', count(*)
    from parted_labels
    group by attribute, level
    union all
    select top_levels.attribute, top_levels.level, 'top level is not one single value',
        count(distinct hierarchy_levels.label)
    from top_levels
    inner join sqlanon.hierarchy_levels
        on hierarchy_levels.attribute = top_levels.attribute
        and hierarchy_levels.level = top_levels.level
    group by top_levels.attribute, top_levels.level
    having count(distinct hierarchy_levels.label) > 1
)
select attribute, level, problem, cast(affected as bigint) as affected
from problems
order by attribute, level, problem
