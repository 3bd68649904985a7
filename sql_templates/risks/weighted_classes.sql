{#- inputs: relation str, columns list[tuple[str, str]], weight str -#}
-- weighted_classes: the classes of a sample, and how many persons of the population each stands for
-- reads:   {{ relation }}
-- returns: one row per class
--   class_size     rows of the sample   [rows]
--   weight         their sampling weights together, the estimated size in the population   [persons]
--   missing_count  rows whose weight is missing or no number of 1 or more   [rows]
-- nulls:   a null quasi-identifier is a value of its own
select
{% for name, alias in columns %}
    {{ name | ident }} as {{ alias | ident }},
{% endfor %}
    count(*) as class_size,
    sum(try_cast({{ weight | ident }} as double)) as weight,
    count(*) filter (where coalesce(not try_cast({{ weight | ident }} as double) between 1 and 1e15, true)) as missing_count
from {{ relation }}
group by {% for name, alias in columns %}{{ name | ident }}{{ ", " if not loop.last }}{% endfor %}

