{#- inputs: relation str, columns list[tuple[str, str]], weight str -#}
{% import "_keys.sql" as keys %}
-- weighted_classes: the classes of a sample, and how many persons of the population each stands for
-- reads:   {{ relation }}
-- returns: one row per class
--   class_size     rows of the sample   [rows]
--   weight         their sampling weights together, the estimated size in the population   [persons]
--   missing_count  rows whose weight is missing or no number of 1 or more   [rows]
-- nulls:   a null quasi-identifier is a value of its own
with weighted_rows as (
    select
{% for name, alias in columns %}
        {{ name | ident }} as {{ alias | ident }},
{% endfor %}
        try_cast(trim(cast({{ weight | ident }} as varchar)) as double) as weight
    from {{ relation }}
)
select
    {{ keys.list("", columns | map("last") | list) }},
    count(*) as class_size,
    sum(weight) as weight,
    count(*) filter (where coalesce(not weight between 1 and 1e15, true)) as missing_count
from weighted_rows
group by {{ keys.list("", columns | map("last") | list) }}
