{#- inputs: attributes list[CutAttribute], counted list[CountedColumn], names dict[str, str] -#}
-- class_cells: the contents of the buckets
-- reads:   dealt_rows, row_combinations{{ ", value_places" if attributes }}{% for column in counted %}, {{ column.named("table_values") }}{% endfor %}

-- returns: one row per bucket and distinct combination of these values
--   class       number of the bucket
--   row_count   rows of the bucket with these values   [rows]
with {% include "buckets/_coded_combinations.sql" %}

select
    dealt_rows.bucket as class,
{% for attribute in attributes %}
    coded_combinations.{{ attribute.place | ident }},
{% endfor %}
{% for column in counted %}
    coded_combinations.{{ column.named("value") }},
{% endfor %}
    count(*) as row_count
from sqlanon.dealt_rows
inner join coded_combinations on coded_combinations.combination = dealt_rows.combination
group by
    dealt_rows.bucket{% for attribute in attributes %},
    coded_combinations.{{ attribute.place | ident }}{% endfor %}{% for column in counted %},
    coded_combinations.{{ column.named("value") }}{% endfor %}

