{#- inputs: part_count int -#}
-- fake_matches: how many buckets the tuples match that no row of the source has
-- source:  Li, Li, Zhang and Molloy, IEEE TKDE 24(3), 2012, membership disclosure protection
-- reads:   bucket_parts, row_parts
-- returns: one row per number of buckets
--   matching_buckets   buckets with all parts of a tuple   [buckets]
--   tuples             combinations of the parts of a bucket that are not in the source   [tuples]
with composed_tuples as (
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
)
select matching_buckets, count(*) as tuples
from composed_tuples
where not exists (
    select 1
    from sqlanon.row_parts
    where
{% for number in range(1, part_count + 1) %}
        {{ "and " if not loop.first }}row_parts.part_{{ number }} = composed_tuples.part_{{ number }}
{% endfor %}
)
group by matching_buckets
order by matching_buckets
