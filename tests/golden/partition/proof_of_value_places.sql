-- proof_of_value_places: values without a place in the order of their attribute; no row means none
-- reads:   value_places
-- returns: one row per attribute and problem
--   affected   affected values   [values]
select attribute, problem, count(*) as affected
from (
    select
        attribute,
        case
            when attribute_number in (1)
                and try_cast(value as double) is null then 'is no number'
            when attribute_number in (2)
                and not coalesce(isfinite(try_cast(value as timestamp)), false) then 'is no date'
            when attribute_number in (2)
                and regexp_matches(value, ':[0-9]{2}([.][0-9]+)?(Z|[+-][0-9]{2}(:?[0-9]{2})?)$')
                then 'is a time of a time zone'
            when not isfinite(position) then 'is not a finite number'
            when attribute_number in (1, 2) and label = value
                then 'is beyond the lines of a grid'
        end as problem
    from sqlanon.value_places
    where value is not null
) as judged_values
where problem is not null
group by attribute, problem
order by attribute, problem
