{#- inputs: quasi_identifiers list[tuple[str, str]], attributes list[CountedColumn], rows str, unit str | None, persons str, linked bool -#}
{% set table = "published_rows." if linked else "" %}
-- published_combinations: the one pass over the publication; all promises are judged on this table
-- reads:   published_rows{{ ", published_histories" if linked }}; no result of the search
-- returns: one row per distinct combination of published quasi-identifiers{{ ", values" if attributes }}{{ " and persons" if unit }}
{% for column in attributes %}
--   {{ column.named("text") }}   {{ column.name | comment }}
{% endfor %}
{% if linked %}
--   history     number of the person's history, which is the class of all rows of the person
{% endif %}
--   row_count   published rows   [rows]
{% if persons %}
--   person_count   persons of the class, as published   [persons]
{% endif %}
-- nulls:   a null is a value of its own
select {% for name, alias in quasi_identifiers %}{{ table }}{{ name | ident }}{{ " as " ~ (alias | ident) if alias != name }}, {% endfor %}{% for column in attributes %}cast({{ table }}{{ column.name | ident }} as varchar) as {{ column.named("text") }}, {% endfor %}{{ table ~ (unit | ident) ~ " as person, " if unit }}{{ "histories.history, " if linked }}{{ "min(cast(" ~ (persons | ident) ~ " as bigint)) as person_count, " if persons }}count(*) as row_count
from {{ rows }}{{ " as published_rows" if linked }}
{% if linked %}
inner join sqlanon.published_histories as histories
    on histories.person is not distinct from published_rows.{{ unit | ident }}
{% endif %}
group by {% for name, alias in quasi_identifiers %}{{ table }}{{ name | ident }}{{ ", " if not loop.last or attributes or unit }}{% endfor %}{% for column in attributes %}{{ table }}{{ column.name | ident }}{{ ", " if not loop.last or unit }}{% endfor %}{{ table ~ (unit | ident) if unit }}{{ ", histories.history" if linked }}
