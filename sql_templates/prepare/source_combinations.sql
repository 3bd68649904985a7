{#- inputs: quasi_identifiers list[str], counted list[tuple[str, str]], row_count str -#}
-- source_combinations: the one pass over the source; all that follows before the release reads this
-- reads:   source_rows
-- returns: one row per distinct combination of quasi-identifiers{{ " and counted columns" if counted }}
--   {{ row_count }}  source rows with this combination   [rows]
-- nulls:   null is one more value
select
{% for name in quasi_identifiers %}
    {{ name | ident }},
{% endfor %}
{% for name, alias in counted %}
    {{ name | ident }} as {{ alias | ident }},
{% endfor %}
    count(*) as {{ row_count | ident }}
from sqlanon.source_rows
group by
{% for name in quasi_identifiers %}
    {{ name | ident }}{{ "," if not loop.last or counted }}
{% endfor %}
{% for name, alias in counted %}
    {{ name | ident }}{{ "," if not loop.last }}
{% endfor %}
