{#- inputs: quasi_identifiers list[str], counted list[tuple[str, str]], unit str | None, unit_alias str, population bool, row_count str, population_count str -#}
-- source_combinations: the one pass over the source; later steps before the release read this
-- reads:   source_rows{{ ", population_combinations" if population }}
-- returns: one row per distinct combination of quasi-identifiers{{ " and counted columns" if counted }}{{ "," if unit }}{{ ";" if population and not unit }}
{% if unit %}
--   and person{{ ";" if population }}
{% endif %}
{% if population %}
--   in addition, one row per combination of the population
{% endif %}
--   {{ row_count }}  source rows with this combination   [rows]
{% if population %}
--   {{ population_count }}  rows of the population with this combination   [rows]
{% endif %}
-- nulls:   a null is a value of its own
select {% for name in quasi_identifiers %}{{ "cast(" ~ (name | ident) ~ " as varchar) as " if population }}{{ name | ident }}, {% endfor %}{% for name, alias in counted %}{{ name | ident }} as {{ alias | ident }}, {% endfor %}{{ (unit | ident) ~ " as " ~ (unit_alias | ident) ~ ", " if unit }}{{ "0 as " ~ (population_count | ident) ~ ", " if population }}count(*) as {{ row_count | ident }}
from sqlanon.source_rows
group by {% for name in quasi_identifiers %}{{ name | ident }}{{ ", " if not loop.last or counted or unit }}{% endfor %}{% for name, alias in counted %}{{ name | ident }}{{ ", " if not loop.last or unit }}{% endfor %}{{ (unit | ident) if unit }}
{% if population %}
union all
select {% for name in quasi_identifiers %}cast({{ name | ident }} as varchar), {% endfor %}{% for name, alias in counted %}null, {% endfor %}{{ "null, " if unit }}{{ population_count | ident }}, 0
from sqlanon.population_combinations
{% endif %}
