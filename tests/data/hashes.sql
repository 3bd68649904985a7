-- hashes: what PostgreSQL and Spark have beside DuckDB, and no other query of these tests has
-- things: id (a whole number), n (a whole number or null), x (a double or null), t (text), day
with digests as materialized (
    -- a keyed hash of each row
    select
        id,
        t,
        n,
        sha256(concat(getvariable('sqlanon_permutation_seed'), '|', n, '|', length(t), ':', t)) as digest
    from things
),
many as (
    select id, unnest(range(n)) as number
    from things
),
combinations as (
    select t, n, count(*) as row_count from things group by t, n
),
numbered_combinations as (
    select t, n, row_number() over () as number from combinations
),
numbered_texts as (
    select t, row_number() over () as number from things group by t
),
many_of_id as (
    select id, count(*) as row_count, min(number) as lowest, max(number) as highest
    from many
    group by all
),
listed as (
    select
        n,
        string_agg(t, ' + ' order by t desc, id) as all_texts,
        string_agg(id, ',' order by id) filter (where id > 3) as ids,
        bool_or(t = 'a') as any_a,
        bool_or(t is null) as any_null,
        avg(id) as mean_id,
        quantile_disc(id, 0.5) as middle_id,
        quantile_disc(id, 0.25) as low_id,
        avg(x) filter (where x < 10) as mean,
        sum(cast('0x' || substr(digest, 1, 15) as hugeint) * id) as total,
        concat('|', sum(cast('0x' || substr(digest, 16, 15) as hugeint) * id)) as spelled,
        cast(sum(id) // 4 as bigint) as quarter
    from (select digests.*, things.x from digests inner join things on things.id = digests.id) as made
    group by all
),
few as (
    select id from things order by t nulls first, id limit 7
)
select
    digests.id,
    digests.digest,
    cast('0x' || substr(digests.digest, 46, 15) as bigint) as key,
    md5(digests.t) as short_digest,
    concat_ws(',', digests.t, digests.n, null, 'x') as separated,
    strpos(digests.t, 'a') as place_of_a,
    strpos(concat('12', digests.t), '') as place_of_nothing,
    case digests.n when 1 then 'one' when 2 then 'two' else 'none' end as worded,
    lag(digests.n) over (order by digests.digest) as earlier,
    many_of_id.row_count,
    many_of_id.lowest,
    many_of_id.highest,
    listed.*,
    (select count(distinct number) || ' ' || max(number) from numbered_combinations) as numbers,
    (select count(distinct number) || ' ' || max(number) from numbered_texts) as text_numbers,
    digests.t like '%a%' or digests.t like '_' as is_like,
    substring(digests.t, greatest(digests.n, 1), 2) as part,
    digests.id * 1e300 > 2.5e301 as is_large,
    try_cast(digests.n as integer) as narrow,
    hash(digests.t, digests.n) = hash(digests.t, digests.n) as is_same,
    hash('a', nullif('b', 'b')) = hash(nullif('b', 'b'), 'a') as is_other,
    (select sum(hash(t, hashed.h)) from (select t, hash(id) as h from digests) as hashed)
        = (select sum(hash(t, hash(id))) from things) as is_sum,
    digests.id in (select few.id from few) as is_few
from digests
left join many_of_id on many_of_id.id = digests.id
left join listed on listed.n is not distinct from digests.n
order by digests.id
