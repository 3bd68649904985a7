{#- inputs: title str, held_out str, attribute str, quasi_identifiers list[tuple[str, str]] -#}
-- {{ title }}: the rows that were kept out of the run
-- reads:   {{ held_out }}
-- returns: one row per combination of quasi-identifiers{{ " and value" if attribute }}
--   person        number of the combination
{% for name, alias in quasi_identifiers %}
--   value_{{ loop.index }}       {{ name | comment }}, as text
{% endfor %}
{% if attribute %}
--   secret        {{ attribute | comment }}, as text
{% endif %}
--   person_count  [rows]
-- nulls:   a null is a value of its own
select
    row_number() over () as person,
{% for name, alias in quasi_identifiers %}
    cast({{ name | ident }} as varchar) as value_{{ loop.index }},
{% endfor %}
{% if attribute %}
    cast({{ attribute | ident }} as varchar) as secret,
{% endif %}
    count(*) as person_count
from {{ held_out }}
group by {% for name, alias in quasi_identifiers %}cast({{ name | ident }} as varchar){{ ", " if not loop.last or attribute }}{% endfor %}{{ "cast(" ~ (attribute | ident) ~ " as varchar)" if attribute }}
