{#- inputs: rows str, combinations str, combination str, parts list[list[str]] -#}
{% import "_comments.sql" as comments %}
{% macro texts(part, deep=false) %}
{% for name in part %}
            {{ "    " if deep }}cast({{ name | ident }} as varchar){{ "," if not loop.last }}
{% endfor %}
{% endmacro %}
-- proof_of_rearrangement: every bucket has the parts of the rows assigned to it, equally often;
--   no part was dropped, duplicated, moved, or changed
{{ comments.line("-- reads:  ", "published_rows, " ~ rows ~ ", " ~ combinations) }}
{% for part in parts %}
--   part {{ loop.index }}: {{ part | join(", ") | comment }}
{% endfor %}
-- returns: one row if that is not the case
-- method:  sum over all rows of 64-bit hashes of bucket and part, as text; it is equal for equal
--   rows in any order
with part_hashes as (
    select
        {{ combination | ident }}{{ " as combination" if combination != "combination" }}{% for part in parts %},
        hash(
{{ texts(part) }}        ) as hash_{{ loop.index }}{% endfor %}

    from sqlanon.{{ combinations }}
),
assigned as (
    select
        count(*) as row_count{% for part in parts %},
        sum(hash(assigned_rows.bucket, part_hashes.hash_{{ loop.index }})) as sum_{{ loop.index }}{% endfor %}

    from sqlanon.{{ rows }} as assigned_rows
    inner join part_hashes on part_hashes.combination = assigned_rows.combination
),
published as (
    select
        count(*) as row_count{% for part in parts %},
        sum(hash(
            try_cast(bucket as integer),
            hash(
{{ texts(part, true) }}            )
        )) as sum_{{ loop.index }}{% endfor %}

    from sqlanon.published_rows
)
select assigned.row_count as assigned_rows, published.row_count as published_rows
from assigned
cross join published
where published.row_count is distinct from assigned.row_count
{% for part in parts %}
    or published.sum_{{ loop.index }} is distinct from assigned.sum_{{ loop.index }}
{% endfor %}
