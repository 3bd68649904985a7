-- membership_9_links: buckets and published values that are merged, because a person may be in
--   either
-- reads:   sqlanon.membership_9_candidates
-- returns: one row per pair of linked numbers, in both directions
--   group_number   if 0, value and other are buckets; else values of this column group
with numbered_matches as (
    select
        *,
        row_number() over (
            partition by combination order by bucket, value_1, value_2
        ) as match_number
    from sqlanon.membership_9_candidates
),
linked_matches as (
    select
        firsts.bucket as first_0, others.bucket as other_0,
        firsts.value_1 as first_1, others.value_1 as other_1,
        firsts.value_2 as first_2, others.value_2 as other_2
    from numbered_matches as firsts
    inner join numbered_matches as others
        on others.combination = firsts.combination
        and others.match_number > 1
    where firsts.match_number = 1
),
pairs (group_number, value, other) as (
    select 0, first_0, other_0 from linked_matches
    union all select 1, first_1, other_1 from linked_matches
    union all select 2, first_2, other_2 from linked_matches
)
select group_number, value, other
from pairs
where value <> other
union
select group_number, other, value
from pairs
where value <> other
