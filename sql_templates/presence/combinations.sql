{#- inputs: name str, columns list[str], population str, population_count str -#}
{% import "_comments.sql" as comments %}
{% call comments.wrapped("-- " ~ name ~ ": ") %}
the persons, identified by their published attributes alone
{% endcall %}
-- reads:   {{ population | comment }}
-- returns: one row per combination
--   combination   number of the combination, from 1
{% for column in columns %}
--   text_{{ loop.index }}        {{ column | comment }}
{% endfor %}
--   person_count  persons of the population with the combination   [persons]
-- nulls:   a null is a value of its own
with counted_texts as (
    select
{% for column in columns %}
        cast({{ column | ident }} as varchar) as text_{{ loop.index }},
{% endfor %}
        cast(sum({{ population_count | ident }}) as bigint) as person_count
    from {{ population }}
    group by
{% for column in columns %}
        cast({{ column | ident }} as varchar){{ "," if not loop.last }}
{% endfor %}
)
select
    row_number() over (
        order by
{% for column in columns %}
            text_{{ loop.index }} nulls first{{ "," if not loop.last }}
{% endfor %}
    ) as combination,
{% for column in columns %}
    text_{{ loop.index }},
{% endfor %}
    person_count
from counted_texts
