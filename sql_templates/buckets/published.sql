{#- inputs: rows str, parts list[list[str]], columns list[tuple[str, int]] name and number of its part, position str, keys list[str] -#}
-- published: the rows of the publication, in a staging file until they are proven; in every bucket
--   parts of rows are permuted apart from each other, so that nothing tells which belonged together
-- reads:   {{ rows }}
-- returns: one row per source row, put together from parts of rows of its bucket
-- order:   by bucket; within it, one that only the seed knows
with {% for part in parts %}
{% set number = loop.index %}
{{ "part_" ~ number }} as (
    -- {{ part | join(", ") | comment }}
    select
        bucket,
{% for name in part %}
        {{ name | ident }},
{% endfor %}
        row_number() over (partition by bucket order by {{ keys[number - 1] | ident }}) as {{ position | ident }}
    from sqlanon.{{ rows }}
){{ "," if not loop.last }}
{% endfor %}
select
{% for name, number in columns %}
    part_{{ number }}.{{ name | ident }},
{% endfor %}
    part_1.bucket
from part_1
{% for part in parts %}
{% if not loop.first %}
inner join part_{{ loop.index }}
    on part_{{ loop.index }}.bucket = part_1.bucket
    and part_{{ loop.index }}.{{ position | ident }} = part_1.{{ position | ident }}
{% endif %}
{% endfor %}
order by part_1.bucket, part_1.{{ position | ident }}
