{% import "partition/_columns.sql" as columns with context %}
select
    0 as round,
    1 as region,
    0 as parent,
    0 as attribute_number,
    0 as first_place,
    {{ no_end }} as last_place,
    {{ columns.cell("row_count", dealt=relaxed) | indent(4) }}
from sqlanon.cells
