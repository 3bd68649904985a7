-- proof_of_numbers: values that should be numbers, or have an order, but do not
-- reads:   counted_values
-- returns: one row per attribute and problem; no row if there is none
--   affected   affected values, without missing ones   [values]
with problems (attribute, problem, affected) as (
    select attribute, 'not a number or infinite (NaN, inf)', count(*)
    from sqlanon.counted_values
    where attribute in ('salary', 'salary')
        and not isfinite(number)
    group by attribute
    union all
    select attribute, 'text where numbers are compared', count(*)
    from sqlanon.counted_values
    where attribute in ('salary')
        and number is null and text is not null
    group by attribute
    union all
    select
        attribute,
        'text among numbers, so that there is no order',
        count(*) filter (where number is null)
    from sqlanon.counted_values
    where attribute in ('salary')
        and text is not null
    group by attribute
    having count(number) > 0
)
select attribute, problem, affected
from problems
where affected > 0
