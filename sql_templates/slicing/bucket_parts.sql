{#- inputs: part_count int -#}
-- bucket_parts: the parts that each bucket has
-- reads:   bucketed_rows, row_parts
-- returns: one row per bucket, column group and part
--   group_number   number of the column group, from 1
--   part           as in row_parts
{% for number in range(1, part_count + 1) %}
{{ "union all\n" if not loop.first }}select distinct
    bucketed_rows.bucket,
    {{ number }} as group_number,
    row_parts.part_{{ number }} as part
from sqlanon.bucketed_rows
inner join sqlanon.row_parts on row_parts.combination = bucketed_rows.combination
{% endfor %}
