-- presence_matching_buckets: the number of buckets that a person may be in
-- reads:   sqlanon.presence_candidates, sqlanon.presence_combinations
-- returns: one row
--   persons              persons of the population   [persons]
--   matching_persons     persons who match at least one bucket   [persons]
--   mean_buckets         mean per matching person; null if there is none   [buckets]
--   most_buckets         maximum over all persons   [buckets]
--   several              combinations that match more than one published value of a column group
with matched_buckets as (
    select
        combination,
        max(person_count) as person_count,
        count(distinct bucket) as bucket_count,
        count(*) as match_count
    from sqlanon.presence_candidates
    group by combination
),
all_persons as (
    select coalesce(sum(person_count), 0) as persons
    from sqlanon.presence_combinations
)
select
    cast(max(all_persons.persons) as bigint) as persons,
    cast(coalesce(sum(matched_buckets.person_count), 0) as bigint) as matching_persons,
    cast(sum(matched_buckets.person_count * matched_buckets.bucket_count) as double)
        / sum(matched_buckets.person_count) as mean_buckets,
    coalesce(max(matched_buckets.bucket_count), 0) as most_buckets,
    count(*) filter (where matched_buckets.match_count > 1) as several
from all_persons
left join matched_buckets on matched_buckets.combination is not null
