-- population: the persons who could be in the source; only population_combinations reads it
-- plan:    plan
-- returns: one row per person
select *
from read_parquet('voters.parquet', hive_partitioning = false)
