{#- CTEs from bucket_sizes to tuple_probabilities; `unsafe_only` leaves out tuples that no bucket endangers.

    A tuple matches a bucket that has all its parts, one a column group. Matches are found group by group, for the
    distinct beginnings of tuples (prefixes) instead of the tuples, so that what many tuples share is looked up once.
-#}
{% import "_keys.sql" as keys %}
{% set last = parts | length %}
{% set own = (parts | last).named("parts") | ident %}
{% set companion_part = own ~ "." ~ (names.part | ident) if companions else "0" %}
{% import "partition/_lists.sql" as lists %}
bucket_sizes as materialized (
    -- one row per bucket
    select bucket, count(*) as bucket_rows
    from {{ rows }}
    group by bucket
),
{% for part in parts %}
{{ part.named("parts") | ident }} as materialized (
{% call comments.wrapped("    -- ", hang="    -- ") %}
one row per different values of {{ part.columns | join(", ") | comment }}{{ ", in the column group of the sensitive attribute" if companions and loop.last }}
{% endcall %}
    select {{ keys.list("", part.columns) }}, row_number() over (order by {{ keys.list("", part.columns) }}) as {{ names.part | ident }}
    from {{ tuples }}
    group by {{ keys.list("", part.columns) }}
),
{{ part.named("shares") | ident }} as materialized (
    -- one row per bucket and part: freq(t[C_{{ loop.index }}] in B) / |B|; parts that no tuple has are left out
    select
        counted.bucket,
        {{ lists.column(names.part, "part", part.named("parts")) }},
        cast(counted.{{ names.part_rows | ident }} as double) / bucket_sizes.bucket_rows as share
    from (
        select {{ keys.list("", part.columns) }}, bucket, count(*) as {{ names.part_rows | ident }}
        from {{ rows }}
        group by {{ keys.list("", part.columns) }}, bucket
    ) as counted
    inner join {{ part.named("parts") | ident }}
{{ keys.join(part.named("parts") | ident, "counted", part.columns, true) }}    inner join bucket_sizes on bucket_sizes.bucket = counted.bucket
),
{% endfor %}
group_order as materialized (
    -- one row: the column groups in the order of looking them up; those with few different parts
    -- per bucket come first, as they leave the fewest matches
    select
{% for _ in parts %}
        max(group_number) filter (where place = {{ loop.index }}) as group_{{ loop.index }}{{ "," if not loop.last }}
{% endfor %}
    from (
        select group_number, row_number() over (order by part_count, group_number) as place
        from (
{% for part in parts %}
            {{ "union all\n            " if not loop.first }}select {{ loop.index }} as group_number, count(*) as part_count
            from {{ part.named("shares") | ident }}
{% endfor %}
        ) as counted
    ) as ranked
),
bucket_parts (place, bucket, part, share) as materialized (
    -- one row per bucket and part of any column group; place: that of the group in the order
{% for part in parts %}
{% set number = loop.index %}
    {{ "union all\n    " if not loop.first }}select
        case {{ number }}
{% for _ in parts %}
            when group_order.group_{{ loop.index }} then {{ loop.index }}
{% endfor %}
        end,
        bucket,
        part,
        share
    from {{ part.named("shares") | ident }}
    cross join group_order
{% endfor %}
),
sensitive_shares as materialized (
    -- one row per bucket, part in the sensitive column group, and sensitive value: D(t, B)[s], its
    -- share of the rows of the bucket with this part
    select
        counted.bucket,
        {{ companion_part }} as companion_part,
        {{ lists.column(names.value, "value", "counted") }},
        cast(counted.{{ names.value_rows | ident }} as double)
            / sum(counted.{{ names.value_rows | ident }}) over (
                partition by counted.bucket{{ ", " ~ companion_part if companions }}
            ) as share
    from (
        select {{ keys.list("", companions, last=[(sensitive | ident) ~ " as " ~ (names.value | ident), "bucket"]) }}, count(*) as {{ names.value_rows | ident }}
        from {{ rows }}
        group by {{ keys.list("", companions, last=[sensitive | ident, "bucket"]) }}
    ) as counted
{% if companions %}
    inner join {{ own }}
{{ keys.join(own, "counted", companions, true) -}}
{% endif %}
),
coded_tuples as materialized (
    -- one row per tuple: the numbers of its parts
    select
{% for part in parts %}
        {{ part.named("parts") | ident }}.{{ names.part | ident }} as {{ part.named("part") | ident }},
{% endfor %}
        {{ companion_part }} as companion_part,
        {{ lists.column(names.row_count, "row_count", "tuples") }}
    from {{ tuples }} as tuples
{% for part in parts %}
    inner join {{ part.named("parts") | ident }}
{{ keys.join(part.named("parts") | ident, "tuples", part.columns, true) -}}
{% endfor %}
{% if unsafe_only %}
    -- p(t, s) is a mean of D(t, B)[s] over buckets: it exceeds 1 / {{ l | number }} only if one of them
    -- does
    where {{ companion_part }} in (
        select companion_part
        from sensitive_shares
        where share > 1.0 / {{ l | number }} + 0.000000001
    )
{% endif %}
),
ordered_tuples as materialized (
    -- one row per tuple: its number, and its parts in the order of looking them up
    select
        row_number() over (
            order by
{% for part in parts %}
                {{ part.named("part") | ident }}{{ "," if not loop.last }}
{% endfor %}
        ) as tuple,
        coded_tuples.*,
{% for _ in parts %}
        case group_order.group_{{ loop.index }}
{% for part in parts %}
            when {{ loop.index }} then {{ part.named("part") | ident }}
{% endfor %}
        end as ordered_{{ loop.index }}{{ "," if not loop.last }}
{% endfor %}
    from coded_tuples
    cross join group_order
),
prefixes as materialized (
    -- one row per tuple: its beginnings, each given by the first tuple that has it
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
continued_{{ number }} as materialized (
    -- one row per match so far and further part of its bucket; two separate joins, because in
    -- another order they would pair every prefix with every bucket that has the part
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
    -- one row per beginning of {{ number }} part{{ "s" if number > 1 }} and bucket that has all of them
    select beginnings.prefix_{{ number }}, parts.bucket, parts.share
    from (
        select distinct {{ ("prefix_" ~ (number - 1) ~ ", ") if number > 1 }}prefix_{{ number }}, ordered_{{ number }}
        from prefixes
    ) as beginnings
{% if number > 1 %}
    inner join continued_{{ number }} as parts
        on parts.prefix_{{ number - 1 }} = beginnings.prefix_{{ number - 1 }}
        and parts.part = beginnings.ordered_{{ number }}
{% else %}
    inner join bucket_parts as parts
        on parts.place = 1
        and parts.part = beginnings.ordered_1
{% endif %}
),
{% endfor %}
matches as materialized (
    -- one row per tuple and bucket that has all its parts; share: f(t, B)
    select
        prefixes.tuple,
        prefixes.companion_part,
        matches_{{ last }}.bucket,
        matches_{{ last }}.share
    from matches_{{ last }}
    inner join prefixes on prefixes.tuple = matches_{{ last }}.prefix_{{ last }}
),
tuple_matches as (
    -- one row per tuple that matches a bucket
    select tuple, count(*) as matching_buckets, sum(share order by bucket) as share_total
    from matches
    group by tuple
),
tuple_values as (
    -- one row per tuple and sensitive value: the sum over B of f(t, B) D(t, B)[s]
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
    -- one row per tuple: p(t, s) of the most likely sensitive value
    select
        tuple_matches.tuple,
        tuple_matches.matching_buckets,
        max(tuple_values.share / tuple_matches.share_total) as largest_probability
    from tuple_matches
    inner join tuple_values on tuple_values.tuple = tuple_matches.tuple
    group by tuple_matches.tuple, tuple_matches.matching_buckets
)
