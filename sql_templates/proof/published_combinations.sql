{#- inputs: quasi_identifiers list[tuple[str, str]], attributes list[tuple[int, str]], rows str, unit str | None -#}
-- published_combinations: the one pass over the publication; all promises are judged on this table
-- reads:   published_rows; no result of the search
-- returns: one row per distinct combination of published quasi-identifiers{{ ", values" if attributes }}{{ " and persons" if unit }}
{% for number, name in attributes %}
--   text_{{ number }}      {{ name | comment }}
{% endfor %}
--   row_count   published rows   [rows]
-- nulls:   a null is a value of its own
select {% for name, alias in quasi_identifiers %}{{ name | ident }}{{ " as " ~ (alias | ident) if alias != name }}, {% endfor %}{% for number, name in attributes %}cast({{ name | ident }} as varchar) as text_{{ number }}, {% endfor %}{{ (unit | ident) ~ " as person, " if unit }}count(*) as row_count
from {{ rows }}
group by {% for name, alias in quasi_identifiers %}{{ name | ident }}{{ ", " if not loop.last or attributes or unit }}{% endfor %}{% for number, name in attributes %}{{ name | ident }}{{ ", " if not loop.last or unit }}{% endfor %}{{ (unit | ident) if unit }}
