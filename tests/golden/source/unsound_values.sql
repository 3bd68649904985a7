-- unsound_values: the values and labels with which hierarchies are not valid
-- reads:   hierarchy_levels, source_values
-- returns: for each row of proof_of_hierarchies the 20 values or labels with most rows
--   shown       the value or label
--   row_count   source rows that it concerns   [rows]
-- nulls:   a missing value is null
with parted_labels as (
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
several_tops as (
    select top_levels.attribute, top_levels.level
    from top_levels
    inner join sqlanon.hierarchy_levels
        on hierarchy_levels.attribute = top_levels.attribute
        and hierarchy_levels.level = top_levels.level
    group by top_levels.attribute, top_levels.level
    having count(distinct hierarchy_levels.label) > 1
),
concerned (attribute, level, problem, shown, value) as (
    select attribute, 0, 'value has more than one row', value, value
    from sqlanon.hierarchy_levels
    where level = 0
    group by attribute, value
    having count(*) > 1
    union all
    select attribute, 0, 'source rows hold a value without a row', value, value
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
    union all
    select distinct attribute, level, 'value has no label', value, value
    from sqlanon.hierarchy_levels
    where value is not null and label is null
    union all
    select distinct
        parted_labels.attribute,
        parted_labels.level + 1,
        'label below has more than one label here',
        parted_labels.label,
        hierarchy_levels.value
    from parted_labels
    inner join sqlanon.hierarchy_levels
        on hierarchy_levels.attribute = parted_labels.attribute
        and hierarchy_levels.level = parted_labels.level
        and hierarchy_levels.label = parted_labels.label
    union all
    select distinct
        several_tops.attribute,
        several_tops.level,
        'top level is not one single value',
        hierarchy_levels.label,
        hierarchy_levels.value
    from several_tops
    inner join sqlanon.hierarchy_levels
        on hierarchy_levels.attribute = several_tops.attribute
        and hierarchy_levels.level = several_tops.level
),
counted as (
    select
        concerned.attribute,
        concerned.level,
        concerned.problem,
        concerned.shown,
        cast(coalesce(sum(source_values.row_count), 0) as bigint) as row_count
    from concerned
    left join sqlanon.source_values
        on source_values.attribute = concerned.attribute
        and source_values.value is not distinct from concerned.value
    group by concerned.attribute, concerned.level, concerned.problem, concerned.shown
)
select attribute, level, problem, shown, row_count
from counted
qualify row_number() over (
    partition by attribute, level, problem order by row_count desc, shown nulls last
) <= 20
order by attribute, level, problem, row_count desc, shown nulls last
