{#- inputs: attributes list[CutAttribute], counted list[tuple[int, str, str]] number name code, names dict[str, str] -#}
-- class_cells: the contents of the buckets
-- reads:   dealt_rows, row_combinations{{ ", value_places" if attributes }}{% for number, name, code in counted %}, table_values_{{ number }}{% endfor %}

-- returns: one row per bucket and distinct combination of these values
--   class       number of the bucket
--   row_count   rows of the bucket with these values   [rows]
with {% include "buckets/_coded_combinations.sql" %}

select
    dealt_rows.bucket as class,
{% for attribute in attributes %}
    coded_combinations.{{ attribute.place | ident }},
{% endfor %}
{% for number, name, code in counted %}
    coded_combinations.{{ code | ident }},
{% endfor %}
    count(*) as row_count
from sqlanon.dealt_rows
inner join coded_combinations on coded_combinations.combination = dealt_rows.combination
group by
    dealt_rows.bucket{% for attribute in attributes %},
    coded_combinations.{{ attribute.place | ident }}{% endfor %}{% for number, name, code in counted %},
    coded_combinations.{{ code | ident }}{% endfor %}

