{#- inputs: part_count int -#}
{% import "_numbered.sql" as numbered %}
-- original_tuples: how many combinations of quasi-identifiers the source has
-- reads:   row_parts
-- returns: one row
--   tuples   different combinations   [tuples]
select count(*) as tuples
from (
    select distinct {{ numbered.list("part", part_count) }}
    from sqlanon.row_parts
) as original_tuples
