{#- inputs: attributes list[CutAttribute], columns list[tuple[str, CutAttribute | None]], names dict[str, str] -#}
{% import "_comments.sql" as comments %}
-- generalized_combinations: the distinct rows with the labels at the levels of their bucket
{% call comments.wrapped("-- reads:   ") %}
row_combinations, bucketed_rows, bucket_nodes{% for attribute in attributes %}, {{ attribute.hierarchy | comment }}{% endfor %}

{% endcall %}
-- returns: one row per distinct row: its number and its values
with combination_buckets as (
    -- one row per distinct row: its bucket; equal quasi-identifiers are in the same one
    select distinct combination, bucket
    from sqlanon.bucketed_rows
)
select
    row_combinations.{{ names.combination | ident }},
{% for name, attribute in columns %}
{% if attribute %}
    case bucket_nodes.{{ attribute.named("level") | ident }}
{% for level in range(attribute.level_count) %}
        when {{ level }} then {{ attribute.named("labels") | ident }}.level_{{ level }}
{% endfor %}
    end as {{ name | ident }}{{ "," if not loop.last }}
{% else %}
    row_combinations.{{ name | ident }}{{ "," if not loop.last }}
{% endif %}
{% endfor %}
from sqlanon.row_combinations
inner join combination_buckets
    on combination_buckets.combination = row_combinations.{{ names.combination | ident }}
inner join sqlanon.bucket_nodes
    on bucket_nodes.bucket = combination_buckets.bucket
{% for attribute in attributes %}
left join sqlanon.{{ attribute.hierarchy | ident }} as {{ attribute.named("labels") | ident }}
    on {{ attribute.named("labels") | ident }}.level_0
        is not distinct from cast(row_combinations.{{ attribute.name | ident }} as varchar)
{% endfor %}
