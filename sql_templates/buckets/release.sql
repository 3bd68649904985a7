{#- inputs: title str, lines list[tuple[str, str]], rows str, combinations str, parts list[Part], columns list[tuple[str, Part]], names dict[str, str] -#}
{% import "_comments.sql" as comments %}
{% import "_release_header.sql" as header %}
{{ header.lines(title, lines) }}-- reads:   {{ rows }}, {{ combinations }}
-- returns: one row per source row, composed of parts of rows of its bucket
-- order:   by bucket; within a bucket, an order that depends on the seed alone
with {% for part in parts %}
{{ part.shuffled | ident }} as (
{% call comments.wrapped("    -- ", hang="    -- ", width=94) %}
{{ part.columns | join(", ") | comment }}: the rows of each bucket, numbered in the order of a key
{% endcall %}
    select
        bucket,
        combination,
        row_number() over (partition by bucket order by {{ part.key | ident }}) as place
    from sqlanon.{{ rows }}
),
{% endfor %}
{% set first = (parts | first).shuffled %}
joined_parts as (
    -- one row per published row: its parts have the same bucket and the same number
    select
{% for part in parts %}
        {{ part.shuffled | ident }}.combination as {{ part.named("row") | ident }},
{% endfor %}
        {{ first | ident }}.bucket,
        {{ first | ident }}.place
    from {{ first | ident }}
{% for part in parts %}
{% if not loop.first %}
    inner join {{ part.shuffled | ident }}
        on {{ part.shuffled | ident }}.bucket = {{ first | ident }}.bucket
        and {{ part.shuffled | ident }}.place = {{ first | ident }}.place
{% endif %}
{% endfor %}
)
select
{% for name, part in columns %}
    {{ part.named("values") | ident }}.{{ name | ident }},
{% endfor %}
    joined_parts.bucket
from joined_parts
{% for part in parts %}
inner join sqlanon.{{ combinations }} as {{ part.named("values") | ident }}
    on {{ part.named("values") | ident }}.{{ names.combination | ident }} = joined_parts.{{ part.named("row") | ident }}
{% endfor %}
order by joined_parts.bucket, joined_parts.place
