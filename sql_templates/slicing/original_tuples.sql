{#- inputs: part_count int -#}
-- original_tuples: how many combinations of quasi-identifiers the source has
-- reads:   row_parts
-- returns: one row
--   tuples   different combinations   [tuples]
select count(*) as tuples
from (
    select distinct
{% for number in range(1, part_count + 1) %}
        part_{{ number }}{{ "," if not loop.last }}
{% endfor %}
    from sqlanon.row_parts
) as original_tuples
