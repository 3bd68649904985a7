{#- inputs: quasi_identifiers list[str], attribute str, others list[str] -#}
-- background_weights: how likely each {{ attribute | comment }} is thought to be, for each profile
-- reads:   background
-- returns: one row per row of it
--   label_N     the quasi-identifiers, as the table publishes them
--   text        the value of {{ attribute | comment }}
--   weight      how likely it is thought to be, in proportion; null if it is no number
--   profile     number of the profile: rows that agree in everything but value and weight
-- nulls:   a missing value is a value of its own
select
{% for name in quasi_identifiers %}
    cast(background.{{ name | ident }} as varchar) as label_{{ loop.index }},
{% endfor %}
    cast(background.{{ attribute | ident }} as varchar) as text,
    try_cast(background.weight as double) as weight,
    dense_rank() over (
        order by
{% for name in quasi_identifiers %}
            cast(background.{{ name | ident }} as varchar){{ "," if not loop.last or others }}
{% endfor %}
{% for name in others %}
            cast(background.{{ name | ident }} as varchar){{ "," if not loop.last }}
{% endfor %}
    ) as profile
from sqlanon.background as background
