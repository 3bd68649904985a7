{#- inputs: part_count int, order list[int] -#}
-- original_matches: how many buckets the tuples of the source match
-- source:  Li, Li, Zhang and Molloy, IEEE TKDE 24(3), 2012, membership disclosure protection
-- reads:   row_parts, bucket_parts
-- returns: one row per number of buckets
--   matching_buckets   buckets with all parts of a tuple   [buckets]
--   tuples             combinations of quasi-identifiers of the source   [tuples]
with original_tuples as (
    -- one row per combination of quasi-identifiers
    select distinct
{% for number in range(1, part_count + 1) %}
        part_{{ number }}{{ "," if not loop.last }}
{% endfor %}
    from sqlanon.row_parts
),
{% for group in order %}
matched_{{ loop.index }} as (
    -- one row per tuple and bucket that has its parts of {{ loop.index }} column group{{ "s" if not loop.first }}
    select
        tuples.*{% if loop.first %},
        parts.bucket{% endif %}

    from {{ "original_tuples" if loop.first else "matched_" ~ loop.index0 }} as tuples
    inner join sqlanon.bucket_parts as parts
        on parts.group_number = {{ group }}
        and parts.part = tuples.part_{{ group }}
{% if not loop.first %}
        and parts.bucket = tuples.bucket
{% endif %}
),
{% endfor %}
counted_tuples as (
    -- one row per tuple
    select count(*) as matching_buckets
    from matched_{{ order | length }}
    group by
{% for number in range(1, part_count + 1) %}
        part_{{ number }}{{ "," if not loop.last }}
{% endfor %}
)
select matching_buckets, count(*) as tuples
from counted_tuples
group by matching_buckets
order by matching_buckets
