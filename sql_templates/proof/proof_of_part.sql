{#- inputs: name str, rows str, combinations str, combination str, part list[str], by_bucket bool -#}
{% import "_comments.sql" as comments %}
{{ comments.line("-- " ~ name ~ ":", "values of " ~ (part | join(", ") | comment) ~ " that " ~ ("a bucket" if by_bucket else "the publication") ~ " has more or less often than the rows of the source " ~ ("assigned to it" if by_bucket else "do")) }}
{{ comments.line("-- reads:  ", "published_rows, " ~ rows ~ ", " ~ combinations) }}
-- returns: one row per {{ "bucket and " if by_bucket else "" }}combination of values; no row means
--   that the counts are equal
--   excess   published rows minus source rows   [rows]
-- nulls:   a missing value is a value of its own
select {{ "bucket, " if by_bucket }}sum(sign) as excess
from (
    select
{% if by_bucket %}
        cast(bucket as varchar) as bucket,
{% endif %}
{% for name in part %}
        cast({{ name | ident }} as varchar) as value_{{ loop.index }},
{% endfor %}
        1 as sign
    from sqlanon.published_rows
    union all
    select
{% if by_bucket %}
        cast(assigned_rows.bucket as varchar),
{% endif %}
{% for name in part %}
        cast(combinations.{{ name | ident }} as varchar),
{% endfor %}
        -1
    from sqlanon.{{ rows }} as assigned_rows
    inner join sqlanon.{{ combinations }} as combinations
        on combinations.{{ combination | ident }} = assigned_rows.combination
) as counted_rows
group by
{% if by_bucket %}
    bucket,
{% endif %}
{% for name in part %}
    value_{{ loop.index }}{{ "," if not loop.last }}
{% endfor %}
having sum(sign) <> 0
