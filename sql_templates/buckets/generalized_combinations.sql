{#- inputs: attributes list[CutAttribute], columns list[tuple[str, CutAttribute | None]], names dict[str, str] -#}
-- generalized_combinations: the distinct rows with the labels at the levels of their bucket
-- reads:   row_combinations, bucketed_rows, bucket_nodes{% for attribute in attributes %}, {{ attribute.hierarchy | comment }}{% endfor %}

-- returns: one row per distinct row: its number and its values
with combination_buckets as (
    -- equal quasi-identifiers are in the same bucket
    select distinct combination, bucket
    from sqlanon.bucketed_rows
)
select
    combinations.{{ names.combination | ident }},
{% for name, attribute in columns %}
{% if attribute %}
    case bucket_nodes.level_{{ attribute.number }}
{% for level in range(attribute.level_count) %}
        when {{ level }} then labels_{{ attribute.number }}.level_{{ level }}
{% endfor %}
    end as {{ name | ident }}{{ "," if not loop.last }}
{% else %}
    combinations.{{ name | ident }}{{ "," if not loop.last }}
{% endif %}
{% endfor %}
from sqlanon.row_combinations as combinations
inner join combination_buckets
    on combination_buckets.combination = combinations.{{ names.combination | ident }}
inner join sqlanon.bucket_nodes as bucket_nodes
    on bucket_nodes.bucket = combination_buckets.bucket
{% for attribute in attributes %}
left join sqlanon.{{ attribute.hierarchy | ident }} as labels_{{ attribute.number }}
    on labels_{{ attribute.number }}.level_0 is not distinct from cast(combinations.{{ attribute.name | ident }} as varchar)
{% endfor %}
