{#- inputs: title str, lines list[tuple[str, str]], columns list[tuple[str, Part, str]], names dict[str, str] -#}
{% import "_release_header.sql" as header %}
{{ header.lines(title, lines) }}-- reads:   joined_parts, row_combinations
-- returns: one row per source row, composed of parts of rows of its bucket
-- order:   by bucket; within a bucket, an order that depends on the seed alone
with listed_values as (
    -- by the number of the distinct row, in lists: a join would not keep the order of the rows
    select
{% for name, part, type in columns %}
{% set value = "cast(" ~ (name | ident) ~ " as sqlanon." ~ type ~ ")" if type else name | ident %}
        list({{ value }} order by {{ names.combination | ident }}) as {{ name | ident }}{{ "," if not loop.last }}
{% endfor %}
    from sqlanon.row_combinations
)
select
{% for name, part, type in columns %}
    listed_values.{{ name | ident }}[joined_parts.{{ part.named("row") | ident }}] as {{ name | ident }},
{% endfor %}
    joined_parts.bucket
from sqlanon.joined_parts
cross join listed_values
