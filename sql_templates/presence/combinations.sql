{#- inputs: name str, columns list[str], population str, population_count str -#}
{% import "_comments.sql" as comments %}
{% import "_numbered.sql" as numbered %}
{% set count = columns | length %}
{{ comments.line("-- " ~ name ~ ":", "the persons, identified by their published attributes alone") }}
-- reads:   {{ population | comment }}
-- returns: one row per combination
--   combination   number of the combination, from 1
{% for column in columns %}
--   text_{{ loop.index }}        {{ column | comment }}
{% endfor %}
--   person_count  persons of the population with the combination   [persons]
-- nulls:   a null is a value of its own
with texts as (
    select {{ numbered.texts(columns, "text") }}, {{ population_count | ident }} as person_count
    from {{ population }}
),
counted_texts as (
    select {{ numbered.list("text", count) }}, cast(sum(person_count) as bigint) as person_count
    from texts
    group by {{ numbered.list("text", count) }}
)
select
    row_number() over (
        order by
{% for column in columns %}
            text_{{ loop.index }} nulls first{{ "," if not loop.last }}
{% endfor %}
    ) as combination,
    counted_texts.*
from counted_texts
