{#- inputs: rows str, combinations str, parts list[list[str]], columns list[tuple[str, int]] name and number of its part, names dict[str, str], keys list[str] -#}
-- published: the rows of the publication, in a staging file until they are proven; in every
--   bucket the column groups are permuted independently, so that which parts belonged together
--   is not disclosed
-- reads:   {{ rows }}, {{ combinations }}
-- returns: one row per source row, composed of parts of rows of its bucket
-- order:   by bucket; within a bucket, an order that depends on the seed alone
with {% for part in parts %}
{{ "part_" ~ loop.index }} as (
    -- {{ part | join(", ") | comment }}
    select
        bucket,
        combination,
        row_number() over (partition by bucket order by {{ keys[loop.index0] }}) as place
    from sqlanon.{{ rows }}
){{ "," if not loop.last }}
{% endfor %}
select
{% for name, number in columns %}
    values_{{ number }}.{{ name | ident }},
{% endfor %}
    part_1.bucket
from part_1
{% for part in parts %}
{% if not loop.first %}
inner join part_{{ loop.index }}
    on part_{{ loop.index }}.bucket = part_1.bucket
    and part_{{ loop.index }}.place = part_1.place
{% endif %}
{% endfor %}
{% for part in parts %}
inner join sqlanon.{{ combinations }} as values_{{ loop.index }}
    on values_{{ loop.index }}.{{ names.combination | ident }} = part_{{ loop.index }}.combination
{% endfor %}
order by part_1.bucket, part_1.place
