{#- inputs: title str, rows str, figures list[str], compared str, classes str, least_rows int, most_rows int, k int, promise str, source str -#}
-- {{ title }}: {{ promise | comment }}
-- source:  {{ source | comment }}
{% if classes %}
-- reads:   {{ classes }}; nothing joins rows, so what is left is what one row leaves
{% else %}
-- reads:   {{ rows }}, {{ figures | join(", ") }}; where nobody is left, the next figure counts, as the known rows were not all published
{% endif %}
-- returns: one row per number of pseudonyms or persons that are left
--   class_size      persons with this number
--   rows_at_risk    these persons if fewer than {{ k }} are left; else 0
--   certainty       1 / number; 0 if nobody is left   [0 to 1]
--   broken          true if fewer than {{ k }} are left; never null
--   left_count      the number; 0: nobody in the publication can be the person
with people (left_count, persons) as (
{% if classes %}
    select persons, cast(sum(persons) as bigint)
    from sqlanon.{{ classes }}
    group by persons
{% else %}
    select
        coalesce(
{% for figure in figures %}
            nullif(figures_{{ loop.index }}.remaining, 0),
{% endfor %}
            0
        ) as left_count,
        count(*)
    from sqlanon.{{ rows }} as rows
{% for figure in figures %}
    left join sqlanon.{{ figure }} as figures_{{ loop.index }}
        on figures_{{ loop.index }}.person = rows.person
{% endfor %}
{% if compared %}
    inner join sqlanon.{{ compared }} as compared on compared.person = rows.person
{% endif %}
    where rows.known_number = {{ least_rows }}
{% if most_rows %}
        and rows.row_count <= {{ most_rows }}
{% endif %}
    group by left_count
{% endif %}
)
select
    persons as class_size,
    case when left_count between 1 and {{ k - 1 }} then persons else 0 end as rows_at_risk,
    case when left_count > 0 then cast(1 as double) / left_count else 0 end as certainty,
    left_count between 1 and {{ k - 1 }} as broken,
    left_count,
    nullif(left_count, 0) as least_left,
    case when left_count = 1 then persons else 0 end as persons_alone,
    case when left_count = 0 then persons else 0 end as persons_not_found
from people
