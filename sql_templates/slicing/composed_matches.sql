{#- inputs: part_count int -#}
{% import "_numbered.sql" as numbered %}
-- composed_matches: how many buckets the tuples match that buckets are composed of
-- source:  Li, Li, Zhang and Molloy, IEEE TKDE 24(3), 2012, membership disclosure protection
-- reads:   bucket_parts, row_parts
-- returns: one row per kind of tuple and number of buckets
--   is_original        whether some row of the source is the tuple
--   matching_buckets   buckets with all parts of a tuple   [buckets]
--   tuples             combinations of the parts of a bucket   [tuples]
with composed_tuples as materialized (
    -- one row per combination of parts that some bucket has
    select
{% for number in range(1, part_count + 1) %}
        parts_{{ number }}.part as part_{{ number }},
{% endfor %}
        count(*) as matching_buckets
    from sqlanon.bucket_parts as parts_1
{% for number in range(2, part_count + 1) %}
    inner join sqlanon.bucket_parts as parts_{{ number }}
        on parts_{{ number }}.bucket = parts_1.bucket
        and parts_{{ number }}.group_number = {{ number }}
{% endfor %}
    where parts_1.group_number = 1
    group by
{% for number in range(1, part_count + 1) %}
        parts_{{ number }}.part{{ "," if not loop.last }}
{% endfor %}
),
original_tuples as (
    select distinct {{ numbered.list("part", part_count) }}
    from sqlanon.row_parts
)
select
    original_tuples.part_1 is not null as is_original,
    composed_tuples.matching_buckets,
    count(*) as tuples
from composed_tuples
left join original_tuples
{% for number in range(1, part_count + 1) %}
    {{ "on" if loop.first else "and" }} original_tuples.part_{{ number }} = composed_tuples.part_{{ number }}
{% endfor %}
group by original_tuples.part_1 is not null, composed_tuples.matching_buckets
order by is_original, composed_tuples.matching_buckets
