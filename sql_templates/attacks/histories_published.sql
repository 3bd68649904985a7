{#- inputs: title str, rows str, labels str, pseudonym str, persons str, quasi_identifiers list[tuple[int, str]] -#}
-- {{ title }}: the published rows by what they show of the known columns
-- reads:   {{ rows | comment }}, {{ labels }}
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
{% if pseudonym or persons %}
        published_rows.{{ (pseudonym or persons) | ident }} as {{ "holder" if pseudonym else "person_count" }},
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
),
classes as (
    select
        *,
        cast(
            row_number() over (
                order by
{% for number, name in quasi_identifiers %}
                    first_{{ number }}, last_{{ number }}{{ "," if not loop.last }}
{% endfor %}
            ) as integer
        ) as class
    from (
        select
{% for number, name in quasi_identifiers %}
            first_{{ number }},
            last_{{ number }},
{% endfor %}
{% if not pseudonym %}
            cast({{ "max(cast(person_count as bigint))" if persons else "count(*)" }} as bigint) as persons,
{% endif %}
            cast(count(*) as integer) as slots
        from labeled_rows
        group by
{% for number, name in quasi_identifiers %}
            first_{{ number }}, last_{{ number }}{{ "," if not loop.last }}
{% endfor %}
    ) as grouped_rows
){% if pseudonym %},
holders as (
    select holder, cast(row_number() over (order by holder) as integer) as pseudonym
    from (select distinct holder from labeled_rows) as distinct_holders
)
select
    holders.pseudonym,
    classes.class,
{% for number, name in quasi_identifiers %}
    classes.first_{{ number }},
    classes.last_{{ number }},
{% endfor %}
    cast(count(*) as integer) as slots
from labeled_rows
inner join holders on holders.holder is not distinct from labeled_rows.holder
inner join classes
{% for number, name in quasi_identifiers %}
    {{ "on" if loop.first else "and" }} classes.first_{{ number }} = labeled_rows.first_{{ number }}
    and classes.last_{{ number }} = labeled_rows.last_{{ number }}
{% endfor %}
group by all
{% else %}

select *
from classes
{% endif %}
