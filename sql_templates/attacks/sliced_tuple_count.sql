{#- inputs: title str, rows str, parts list[Part] -#}
-- {{ title }}: how many combinations of quasi-identifiers the buckets can represent, at most
-- reads:   {{ rows }}
-- returns: one row: the sum over all buckets of the product of their numbers of different parts
select sum(bucket_tuples.tuple_count) as tuple_count
from (
    select
        bucket,
{% for part in parts %}
        {{ "* " if not loop.first }}cast(count(distinct concat({% for column in part.columns %}length({{ column }}), ':', {{ column }}{{ ", ',', " if not loop.last }}{% endfor %})) as double){{ " as tuple_count" if loop.last }}
{% endfor %}
    from {{ rows }}
    group by bucket
) as bucket_tuples
