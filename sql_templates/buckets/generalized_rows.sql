{#- inputs: attributes list[CutAttribute], columns list[tuple[str, CutAttribute | None]], keys list[str] -#}
-- generalized_rows: every row with the labels of its bucket's levels
-- reads:   bucketed_rows, bucket_nodes{% for attribute in attributes %}, {{ attribute.hierarchy | comment }}{% endfor %}

-- returns: one row per source row
--   bucket   number of the bucket
select
{% for name, attribute in columns %}
{% if attribute %}
    case bucket_nodes.level_{{ attribute.number }}
{% for level in range(attribute.level_count) %}
        when {{ level }} then labels_{{ attribute.number }}.level_{{ level }}
{% endfor %}
    end as {{ name | ident }},
{% else %}
    bucketed_rows.{{ name | ident }},
{% endif %}
{% endfor %}
{% for key in keys %}
    bucketed_rows.{{ key | ident }},
{% endfor %}
    bucketed_rows.bucket
from sqlanon.bucketed_rows as bucketed_rows
inner join sqlanon.bucket_nodes as bucket_nodes on bucket_nodes.bucket = bucketed_rows.bucket
{% for attribute in attributes %}
left join sqlanon.{{ attribute.hierarchy | ident }} as labels_{{ attribute.number }}
    on labels_{{ attribute.number }}.level_0 is not distinct from cast(bucketed_rows.{{ attribute.name | ident }} as varchar)
{% endfor %}
