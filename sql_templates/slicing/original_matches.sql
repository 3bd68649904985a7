{#- inputs: part_count int, order list[int], samples int -#}
{% import "_numbered.sql" as numbered %}
-- original_matches: how many buckets some tuples of the source match; which ones depends on
--   nothing but their parts
-- source:  Li, Li, Zhang and Molloy, IEEE TKDE 24(3), 2012, membership disclosure protection
-- reads:   row_parts, bucket_parts
-- returns: one row per number of buckets
--   matching_buckets   buckets with all parts of a tuple   [buckets]
--   tuples             different tuples, at most {{ samples }} in all   [tuples]
with original_tuples as (
    -- one row per combination of quasi-identifiers
    select distinct {{ numbered.list("part", part_count) }}
    from sqlanon.row_parts
),
drawn_tuples as materialized (
    select *
    from original_tuples
    order by
        md5(
{% for number in range(1, part_count + 1) %}
            {{ "|| ',' || " if not loop.first }}cast(part_{{ number }} as varchar)
{% endfor %}
        ),
        {{ numbered.list("part", part_count) }}
    limit {{ samples }}
),
{% for group in order %}
{% set number = loop.index %}
{% if loop.first %}
matches_1 as materialized (
    -- one row per beginning of tuples, of one part, and bucket that has it
    select beginnings.part_{{ group }}, parts.bucket
    from (select distinct part_{{ group }} from drawn_tuples) as beginnings
    inner join sqlanon.bucket_parts as parts
        on parts.group_number = {{ group }}
        and parts.part = beginnings.part_{{ group }}
),
{% else %}
continued_{{ number }} as materialized (
    -- one row per beginning of {{ number }} parts and bucket that has all but the last; two separate
    -- joins, because in another order they would pair all tuples with all buckets of one part
    select beginnings.*, matches_{{ number - 1 }}.bucket
    from (
        select distinct {% for other in order[:number] %}part_{{ other }}{{ ", " if not loop.last }}{% endfor %} from drawn_tuples
    ) as beginnings
    inner join matches_{{ number - 1 }}
{% for other in order[:number - 1] %}
        {{ "on" if loop.first else "and" }} matches_{{ number - 1 }}.part_{{ other }} = beginnings.part_{{ other }}
{% endfor %}
),
matches_{{ number }} as materialized (
    select continued_{{ number }}.*
    from continued_{{ number }}
    inner join sqlanon.bucket_parts as parts
        on parts.group_number = {{ group }}
        and parts.part = continued_{{ number }}.part_{{ group }}
        and parts.bucket = continued_{{ number }}.bucket
),
{% endif %}
{% endfor %}
counted_tuples as (
    -- one row per tuple
    select count(*) as matching_buckets
    from matches_{{ order | length }}
    group by {{ numbered.list("part", part_count) }}
)
select matching_buckets, count(*) as tuples
from counted_tuples
group by matching_buckets
order by matching_buckets
