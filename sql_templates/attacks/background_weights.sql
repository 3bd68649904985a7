{#- inputs: quasi_identifiers list[str], attribute str, others list[str] -#}
-- background_weights: the believed likelihood of each {{ attribute | comment }}, by profile
-- reads:   background
-- returns: one row per row of background
--   label_N     the quasi-identifiers, as the table publishes them
--   text        the value of {{ attribute | comment }}
--   weight      relative likelihood of the value; null if it is not a number
--   profile     number of the profile; its rows differ in value and weight only
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
from sqlanon.background
