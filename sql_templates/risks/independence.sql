{#- inputs: relation str, columns list[str], rows int, population int -#}
-- independence: what sample uniques disclose if the columns are independent of each other
-- source:  Skinner and Holmes, Journal of Official Statistics 14(4), 1998, with main effects only
-- reads:   {{ relation }}
-- returns: one row
--   population_uniques  sample uniques that are expected to be population uniques   [rows]
--   correct_matches     sample uniques that are expected to be matched correctly   [rows]
-- nulls:   a null is a value of its own
with
{% for column in columns %}
shares_{{ loop.index }} as (
    select {{ column | ident }} as value, sum(class_size) / {{ rows | number }} as share
    from {{ relation }}
    group by {{ column | ident }}
),
{% endfor %}
expected as (
    -- persons of each sample unique's class who are not in the sample
    select
{% for column in columns %}
        shares_{{ loop.index }}.share *
{% endfor %}
        {{ (population - rows) | number }} as others
    from {{ relation }} as classes
{% for column in columns %}
    inner join shares_{{ loop.index }} on shares_{{ loop.index }}.value is not distinct from classes.{{ column | ident }}
{% endfor %}
    where classes.class_size = 1
)
select
    coalesce(sum(exp(-others)), 0) as population_uniques,
    coalesce(sum(case when others = 0 then 1 else (1 - exp(-others)) / others end), 0) as correct_matches
from expected
