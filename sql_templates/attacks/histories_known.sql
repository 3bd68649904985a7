{#- inputs: title str, known str, person str, values str, quasi_identifiers list[tuple[int, str]], required list[str] -#}
{% import "_comments.sql" as comments %}
{% call comments.wrapped("-- " ~ title ~ ": ") %}
the rows of each person, as the attacker may know them
{% endcall %}
{% call comments.wrapped("-- reads:   ") %}
{{ known | comment }}, {{ values }}
{% endcall %}
-- returns: one row per row of a person
--   person          number of the person
--   known_number    number of the row among those of the person, in the order of the known values
--   row_count       rows of the person   [rows]
{% for number, name in quasi_identifiers %}
--   at_{{ number }}, text_{{ number }}    place of {{ name | comment }}, and number of its value
{% endfor %}
select
    cast(dense_rank() over (order by known_rows.{{ person | ident }}) as integer) as person,
    cast(
        row_number() over (
            partition by known_rows.{{ person | ident }}
            order by
{% for number, name in quasi_identifiers %}
                values_{{ number }}.text_order{{ "," if not loop.last }}
{% endfor %}
        ) as integer
    ) as known_number,
    cast(count(*) over (partition by known_rows.{{ person | ident }}) as integer) as row_count,
{% for number, name in quasi_identifiers %}
    values_{{ number }}.place as at_{{ number }},
    values_{{ number }}.text_order as text_{{ number }}{{ "," if not loop.last }}
{% endfor %}
from {{ known }} as known_rows
{% for number, name in quasi_identifiers %}
inner join sqlanon.{{ values }} as values_{{ number }}
    on values_{{ number }}.attribute_number = {{ number }}
    and values_{{ number }}.value is not distinct from cast(known_rows.{{ name | ident }} as varchar)
{% endfor %}
where known_rows.{{ person | ident }} is not null
{% for name in required %}
    and known_rows.{{ name | ident }} is not null
{% endfor %}
