{#- inputs: round int -#}
-- refined_rows: how many rows the last round changed
-- reads:   classes_of_round_{{ round }}
-- returns: one row
select count(*) as changed_rows
from sqlanon.classes_of_round_{{ round }}
where changed = {{ round }}
