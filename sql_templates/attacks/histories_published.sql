{#- inputs: title str, rows str, labels str, pseudonym str, persons str, quasi_identifiers list[tuple[int, str]] -#}
{% import "_comments.sql" as comments %}
{% call comments.wrapped("-- " ~ title ~ ": ") %}
the published rows by what they show of the known columns
{% endcall %}
{% call comments.wrapped("-- reads:   ") %}
{{ rows | comment }}, {{ labels }}
{% endcall %}
-- returns: one row per {{ "pseudonym and " if pseudonym }}class: rows that show the same
{% if pseudonym %}
--   pseudonym     number of the pseudonym
{% endif %}
--   class         number of the class
--   slots         rows   [rows]
--   first_N, last_N   first and last place that the labels of column N cover
{% if not pseudonym %}
--   persons       persons of the class{{ ", as published" if persons else "; its rows, as persons are not published" }}
{% endif %}
with labeled_rows as (
    select
{% if pseudonym %}
        cast(dense_rank() over (order by published_rows.{{ pseudonym | ident }}) as integer) as pseudonym,
{% elif persons %}
        published_rows.{{ persons | ident }} as person_count,
{% endif %}
{% for number, name in quasi_identifiers %}
        labels_{{ number }}.first_place as first_{{ number }},
        labels_{{ number }}.last_place as last_{{ number }}{{ "," if not loop.last }}
{% endfor %}
    from {{ rows }} as published_rows
{% for number, name in quasi_identifiers %}
    inner join sqlanon.{{ labels }} as labels_{{ number }}
        on labels_{{ number }}.attribute_number = {{ number }}
        and labels_{{ number }}.label is not distinct from cast(published_rows.{{ name | ident }} as varchar)
{% endfor %}
)
select
{% if pseudonym %}
    pseudonym,
{% endif %}
    cast(
        dense_rank() over (
            order by
{% for number, name in quasi_identifiers %}
                first_{{ number }}, last_{{ number }}{{ "," if not loop.last }}
{% endfor %}
        ) as integer
    ) as class,
    cast(count(*) as integer) as slots,
{% for number, name in quasi_identifiers %}
    first_{{ number }},
    last_{{ number }}{{ "," if not loop.last or not pseudonym }}
{% endfor %}
{% if not pseudonym %}
    cast({{ "max(cast(person_count as bigint))" if persons else "count(*)" }} as bigint) as persons
{% endif %}
from labeled_rows
group by
{% if pseudonym %}
    pseudonym,
{% endif %}
{% for number, name in quasi_identifiers %}
    first_{{ number }}, last_{{ number }}{{ "," if not loop.last }}
{% endfor %}
