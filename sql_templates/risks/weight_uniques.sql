{#- inputs: relation str, columns list[str], weight str -#}
-- weight_uniques: how much a published weight would tell
-- reads:   {{ relation }}
-- returns: one row
--   unique_count  rows that are alone once their weight is known, too   [rows]
-- nulls:   a null is a value of its own
select count(*) as unique_count
from (
    select 1
    from {{ relation }}
    group by {% for name in columns %}{{ name | ident }}, {% endfor %}{{ weight | ident }}
    having count(*) = 1
) as alone
