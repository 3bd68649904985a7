{#- inputs: attributes list[dict number name kind] -#}
-- proof_of_value_places: values without a place in the order of their attribute; no row means none
-- reads:   value_places
-- returns: one row per attribute and problem
--   affected   affected values   [values]
select attribute, problem, count(*) as affected
from (
    select
        attribute,
        case
            when attribute_number in ({{ attributes | selectattr("kind", "equalto", "numeric") | map(attribute="number") | join(", ") or "0" }})
                and try_cast(value as double) is null then 'is no number'
            when attribute_number in ({{ attributes | selectattr("kind", "equalto", "date") | map(attribute="number") | join(", ") or "0" }})
                and not coalesce(isfinite(try_cast(value as timestamp)), false) then 'is no date'
            when attribute_number in ({{ attributes | selectattr("kind", "equalto", "date") | map(attribute="number") | join(", ") or "0" }})
                and regexp_matches(value, ':[0-9]{2}([.][0-9]+)?(Z|[+-][0-9]{2}(:?[0-9]{2})?)$')
                then 'is a time of a time zone'
            when not isfinite(position) then 'is not a finite number'
{% set gridded = attributes | selectattr("grid") | map(attribute="number") | list %}
{% if gridded %}
            when attribute_number in ({{ gridded | join(", ") }}) and label = value
                then 'is beyond the lines of a grid'
{% endif %}
        end as problem
    from sqlanon.value_places
    where value is not null
) as judged_values
where problem is not null
group by attribute, problem
order by attribute, problem
