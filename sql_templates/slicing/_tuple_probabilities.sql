{#- CTEs from bucket_sizes to tuple_probabilities; `unsafe_only` leaves out tuples that no bucket endangers.

    A tuple matches a bucket that has all its parts, one a column group. Matches are found group by group, for the
    distinct beginnings of tuples (prefixes) instead of the tuples, so that what many tuples share is looked up once.
-#}
{% set parts = (groups + [companions]) if companions else groups %}
{% set last = parts | length %}
bucket_sizes as materialized (
    select bucket, count(*) as bucket_rows
    from {{ rows }}
    group by bucket
),
{% for part in parts %}
{% set number = loop.index %}
-- {{ part | join(", ") | comment }}{{ ", in the column group of the sensitive attribute" if companions and loop.last }}
parts_{{ number }} as materialized (
    select
{% for name in part %}
        {{ name | ident }},
{% endfor %}
        row_number() over (
            order by
{% for name in part %}
                {{ name | ident }}{{ "," if not loop.last }}
{% endfor %}
        ) as {{ names.part | ident }}
    from {{ tuples }}
    group by
{% for name in part %}
        {{ name | ident }}{{ "," if not loop.last }}
{% endfor %}
),
-- share: freq(t[C_{{ number }}] in B) / |B|; parts that no tuple has are left out
bucket_parts_{{ number }} as materialized (
    select
        counted.bucket,
        parts.{{ names.part | ident }} as part,
        cast(counted.{{ names.part_rows | ident }} as double) / bucket_sizes.bucket_rows as share
    from (
        select
{% for name in part %}
            {{ name | ident }},
{% endfor %}
            bucket,
            count(*) as {{ names.part_rows | ident }}
        from {{ rows }}
        group by
{% for name in part %}
            {{ name | ident }},
{% endfor %}
            bucket
    ) as counted
    inner join parts_{{ number }} as parts
{% for name in part %}
        {{ "on" if loop.first else "and" }} parts.{{ name | ident }} is not distinct from counted.{{ name | ident }}
{% endfor %}
    inner join bucket_sizes on bucket_sizes.bucket = counted.bucket
),
{% endfor %}
-- column groups with few different parts per bucket come first: they leave the fewest matches
group_order as materialized (
    select
{% for _ in parts %}
        max(group_number) filter (where place = {{ loop.index }}) as group_{{ loop.index }}{{ "," if not loop.last }}
{% endfor %}
    from (
        select group_number, row_number() over (order by part_count, group_number) as place
        from (
{% for _ in parts %}
            {{ "union all " if not loop.first }}select {{ loop.index }} as group_number, count(*) as part_count
            from bucket_parts_{{ loop.index }}
{% endfor %}
        ) as counted
    ) as ranked
),
bucket_parts (place, bucket, part, share) as materialized (
{% for _ in parts %}
{% set number = loop.index %}
    {{ "union all " if not loop.first }}select
        case {{ number }}
{% for _ in parts %}
            when group_order.group_{{ loop.index }} then {{ loop.index }}
{% endfor %}
        end,
        bucket,
        part,
        share
    from bucket_parts_{{ number }}
    cross join group_order
{% endfor %}
),
-- D(t, B)[s]: for the rows of a bucket with the tuple's part in the sensitive column group, the
-- share of each sensitive value
sensitive_shares as materialized (
    select
        counted.bucket,
        {{ ("parts_" ~ last ~ "." ~ (names.part | ident)) if companions else "0" }} as companion_part,
        counted.{{ names.value | ident }} as value,
        cast(counted.{{ names.value_rows | ident }} as double) / sum(counted.{{ names.value_rows | ident }}) over (
            partition by counted.bucket{{ (", parts_" ~ last ~ "." ~ (names.part | ident)) if companions }}
        ) as share
    from (
        select
{% for name in companions %}
            {{ name | ident }},
{% endfor %}
            {{ sensitive | ident }} as {{ names.value | ident }},
            bucket,
            count(*) as {{ names.value_rows | ident }}
        from {{ rows }}
        group by
{% for name in companions %}
            {{ name | ident }},
{% endfor %}
            {{ sensitive | ident }},
            bucket
    ) as counted
{% for name in companions %}
{% if loop.first %}
    inner join parts_{{ last }}
{% endif %}
        {{ "on" if loop.first else "and" }} parts_{{ last }}.{{ name | ident }} is not distinct from counted.{{ name | ident }}
{% endfor %}
),
coded_tuples as materialized (
    select
{% for _ in parts %}
        parts_{{ loop.index }}.{{ names.part | ident }} as part_{{ loop.index }},
{% endfor %}
        {{ ("parts_" ~ last ~ "." ~ (names.part | ident)) if companions else "0" }} as companion_part,
        tuples.{{ names.row_count | ident }} as row_count
    from {{ tuples }} as tuples
{% for part in parts %}
{% set number = loop.index %}
    inner join parts_{{ number }}
{% for name in part %}
        {{ "on" if loop.first else "and" }} parts_{{ number }}.{{ name | ident }} is not distinct from tuples.{{ name | ident }}
{% endfor %}
{% endfor %}
{% if unsafe_only %}
    -- p(t, s) is a mean of D(t, B)[s] over buckets: it exceeds 1 / {{ l | number }} only if one of them does
    where {{ ("parts_" ~ last ~ "." ~ (names.part | ident)) if companions else "0" }} in (
        select companion_part
        from sensitive_shares
        where share > 1.0 / {{ l | number }} + 0.000000001
    )
{% endif %}
),
ordered_tuples as materialized (
    select
        row_number() over (
            order by
{% for _ in parts %}
                part_{{ loop.index }}{{ "," if not loop.last }}
{% endfor %}
        ) as tuple,
        coded_tuples.*,
{% for _ in parts %}
        case group_order.group_{{ loop.index }}
{% for _ in parts %}
            when {{ loop.index }} then part_{{ loop.index }}
{% endfor %}
        end as ordered_{{ loop.index }}{{ "," if not loop.last }}
{% endfor %}
    from coded_tuples
    cross join group_order
),
-- a prefix is identified by the first tuple that has it
prefixes as materialized (
    select
        ordered_tuples.*,
{% for _ in parts %}
{% set number = loop.index %}
        {{ "tuple" if loop.last else "min(tuple) over (partition by " }}{% if not loop.last %}{% for _ in parts[:number] %}ordered_{{ loop.index }}{{ ", " if not loop.last }}{% endfor %}){% endif %} as prefix_{{ number }}{{ "," if not loop.last }}
{% endfor %}
    from ordered_tuples
),
{% for _ in parts %}
{% set number = loop.index %}
{% if number > 1 %}
-- two separate joins; in another order they would pair every prefix with every bucket that has
-- the part
continued_{{ number }} as materialized (
    select
        matches_{{ number - 1 }}.prefix_{{ number - 1 }},
        matches_{{ number - 1 }}.bucket,
        bucket_parts.part,
        matches_{{ number - 1 }}.share * bucket_parts.share as share
    from matches_{{ number - 1 }}
    inner join bucket_parts
        on bucket_parts.place = {{ number }}
        and bucket_parts.bucket = matches_{{ number - 1 }}.bucket
),
{% endif %}
matches_{{ number }} as materialized (
    select prefixes.prefix_{{ number }}, parts.bucket, parts.share
    from (
        select distinct {{ ("prefix_" ~ (number - 1) ~ ", ") if number > 1 }}prefix_{{ number }}, ordered_{{ number }}
        from prefixes
    ) as prefixes
{% if number > 1 %}
    inner join continued_{{ number }} as parts
        on parts.prefix_{{ number - 1 }} = prefixes.prefix_{{ number - 1 }}
        and parts.part = prefixes.ordered_{{ number }}
{% else %}
    inner join bucket_parts as parts
        on parts.place = 1
        and parts.part = prefixes.ordered_1
{% endif %}
),
{% endfor %}
-- share: f(t, B)
matches as materialized (
    select
        prefixes.tuple,
        prefixes.companion_part,
        matches_{{ last }}.bucket,
        matches_{{ last }}.share
    from matches_{{ last }}
    inner join prefixes on prefixes.tuple = matches_{{ last }}.prefix_{{ last }}
),
tuple_matches as (
    select tuple, count(*) as matching_buckets, sum(share order by bucket) as share_total
    from matches
    group by tuple
),
-- the sum over B of f(t, B) D(t, B)[s]
tuple_values as (
    select
        matches.tuple,
        sensitive_shares.value,
        sum(matches.share * sensitive_shares.share order by matches.bucket) as share
    from matches
    inner join sensitive_shares
        on sensitive_shares.bucket = matches.bucket
        and sensitive_shares.companion_part = matches.companion_part
    group by matches.tuple, sensitive_shares.value
),
tuple_probabilities as (
    select
        tuple_matches.tuple,
        tuple_matches.matching_buckets,
        max(tuple_values.share / tuple_matches.share_total) as largest_probability
    from tuple_matches
    inner join tuple_values on tuple_values.tuple = tuple_matches.tuple
    group by tuple_matches.tuple, tuple_matches.matching_buckets
)
