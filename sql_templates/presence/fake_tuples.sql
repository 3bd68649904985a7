{#- inputs: name str, candidates str, values list[str] -#}
-- {{ name }}: rows that exist through the permutation alone
--   Its columns are permuted independently, so a bucket of n rows stands for every combination
--   of its values, each n times the product of the values' shares. A combination is fake if
--   no person of the population has it.
-- reads:   {{ candidates }}, {{ values | join(", ") }}
-- returns: one row
--   fake_share   share of fake rows among all rows that the buckets stand for   [0 to 1]
with bucket_sizes as (
    select bucket, sum(row_count) as row_count
    from {{ values[0] }}
    group by bucket
),
true_tuples as (
    select distinct bucket{% for relation in values %}, value_{{ loop.index }}{% endfor %}

    from {{ candidates }}
),
true_rows as (
    select
        coalesce(sum(
            cast(bucket_sizes.row_count as double)
{% for relation in values %}
            * (cast(values_{{ loop.index }}.row_count as double) / bucket_sizes.row_count)
{% endfor %}
        ), 0) as row_count
    from true_tuples
    inner join bucket_sizes on bucket_sizes.bucket = true_tuples.bucket
{% for relation in values %}
    inner join {{ relation }} as values_{{ loop.index }}
        on values_{{ loop.index }}.value = true_tuples.value_{{ loop.index }}
{% endfor %}
),
all_rows as (
    select sum(row_count) as row_count
    from bucket_sizes
)
select greatest(0.0, 1 - true_rows.row_count / all_rows.row_count) as fake_share
from all_rows
cross join true_rows
