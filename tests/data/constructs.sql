-- constructs: what no other query of these tests has
-- things: id (a whole number), n (a whole number or null), x (a double or null), t (text), day
with numbered as (
    select
        id,
        n,
        t,
        row_number() over (order by n desc, id) as place_down,
        row_number() over (order by n asc nulls first, id desc) as place_up,
        row_number() over (order by t desc, id) as text_place,
        dense_rank() over (partition by n order by t) as rank_in_n
    from things
),
texts as (
    -- a comment that stays
    select
        n,
        min(t) as first_text,
        max(t) as last_text,
        count(distinct t) as different,
        count(*) filter (where t < 'a') as capitals,
        max(n) filter (where t >= 'b' or t is null) as largest,
        bool_and(n > 1) as above,
        sum(n) as total
    from things
    group by n
),
parts as (
    select id from things where n between 2 and 3
    union all
    select id from things where t in ('a', 'it''s', 'a\b', 'a"b')
    union
    select id from things where n is null and not t is null
),
rest as (
    select id from things
    except
    select id from parts
)
select
    things.id,
    things.n / 2 as half,
    7 / (things.n + 1) as part,
    cast(things.n as decimal(10, 2)) / 3 as third,
    things.n // 2 as whole,
    things.n % 2 as remainder,
    -things.n as minus,
    greatest(things.n, 2) as at_least,
    least(things.n, 2, things.id) as at_most,
    coalesce(things.n, 0) * 0.25 >= 0.5 as is_half,
    nullif(things.n, 2) as not_2,
    abs(things.x) as size,
    ln(things.id) as logarithm,
    log(2, things.id) as bits,
    exp(things.n) as power,
    substring(things.t, 1, length(things.t) - 2) as short,
    substring(things.t, 2) as tail,
    length(things.t) as length,
    things.t || '\' || 'it''s' || chr(8232) || chr(10) || '-- no comment' as strange,
    'n ' || things.n as spelled,
    things.t || null as nothing,
    cast(things.day as varchar) || ' ' || (things.n is null) as dated,
    strftime(things.day, '%d.%m.%Y') as written,
    month(things.day) * 100 + day(things.day) as month_day,
    things.x is distinct from 1.5 as other_x,
    case when things.id > 1000 then error('too many') else 'few' end as verdict,
    numbered.place_down,
    numbered.place_up,
    numbered.text_place,
    numbered.rank_in_n,
    texts.first_text,
    texts.last_text,
    texts.different,
    texts.capitals,
    texts.largest,
    texts.above,
    cast(texts.total as bigint) as total,
    exists (select 1 from rest where rest.id = things.id) as is_rest,
    things.id in (select parts.id from parts) as is_part,
    (select count(*) from parts) as part_count,
    cast('infinity' as double) as most,
    try_cast(things.t as double) as number,
    row_number() over (order by try_cast(things.t as double) nulls last, things.t, things.id)
        as number_place
from things
inner join numbered on numbered.id = things.id
left join texts on texts.n is not distinct from things.n
cross join (select max(rest.id) as last_id from rest) as ends
where not (things.id > ends.last_id and things.n = 2)
order by things.t desc, things.n, things.id
