-- source_values: every value that a promise reads, as text; without a source, the classes are
--   compared with the published table itself
-- reads:   the published table, population_combinations
-- returns: one row per attribute and value
select
    'diagnosis' as attribute,
    cast(diagnosis as varchar) as value,
    count(*) as row_count
from sqlanon.published_table as published_rows
group by cast(diagnosis as varchar)
union all select
    'the "age"' as attribute,
    cast("the ""age""" as varchar) as value,
    cast(sum(population_count) as bigint) as row_count
from sqlanon.population_combinations
group by cast("the ""age""" as varchar)
