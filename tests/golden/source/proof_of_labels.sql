-- proof_of_labels: values of the source that have no label at the published level, or several
-- reads:   source_rows, and the files or queries below
-- returns: one row per attribute with such values; no row if there is none
--   affected   affected values   [values]
-- nulls:   a missing value needs no label
with "hierarchy_of_tôwn" as (
    select level_0 as value, level_1 as label
    from read_csv('it''s a hierarchy.csv', auto_detect = false, hive_partitioning = false,
        delim = ';', header = false,
        columns = {'level_0': 'varchar', 'level_1': 'varchar', 'level_2': 'varchar'})
),
labeled_values (attribute, label_count) as (
    select 'tôwn', count("hierarchy_of_tôwn".label)
    from (
        select distinct "tôwn" as value
        from sqlanon.source_rows
        where "tôwn" is not null
    ) as known_values
    left join "hierarchy_of_tôwn" on "hierarchy_of_tôwn".value = known_values.value
    group by known_values.value
)
select attribute, count(*) as affected
from labeled_values
where label_count <> 1
group by attribute
order by attribute
