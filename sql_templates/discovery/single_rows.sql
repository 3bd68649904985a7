{#- inputs: column_names list[str], sets list[list[int]] -#}
-- single_rows: how many rows each set of columns singles out, in the sample
-- reads:   sampled_rows
-- returns: one row per set that singles out any
--   members       the columns of the set, a bit each: the first is the highest
--   single_rows   rows that share their values of these columns with no other row   [rows]
-- nulls:   a missing value is a value
{% set scope = [] %}
{% set shows_sets = true %}
{% set counted_from = "sqlanon.sampled_rows" %}
{% set counted = "count(*)" %}
{% set lone = "count(*) as row_count" %}
with {% include "_lone_cells.sql" %}

select members, count(*) as single_rows
from lone_cells
group by members
