{#- inputs: columns list[str], unit str | None, least_persons int -#}
{% set who = "persons" if unit else "rows" %}
-- exact_ends: values that fewer than {{ least_persons }} {{ who }} have, of columns whose ranges end at values
-- reads:   source
-- returns: one row per column: its number, its values, and those of them that are so rare
{% for column in columns %}
{{ "union all\n" if not loop.first }}select
    {{ loop.index }} as column_number,
    count(*) as values,
    count(*) filter (where persons < {{ least_persons }}) as rare_values
from (
    select {{ column | ident }}, {{ "count(distinct " ~ (unit | ident) ~ ")" if unit else "count(*)" }} as persons
    from sqlanon.source
    where {{ column | ident }} is not null
    group by {{ column | ident }}
) as value_persons
{% endfor %}
order by column_number
