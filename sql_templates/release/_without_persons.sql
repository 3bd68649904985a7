{#- the published columns of `rows`, called person_rows: columns, persons, place, key, order -#}
{% import "_keys.sql" as k %}
{% if persons %}
with class_persons as (
    -- the persons of each class, whose keys are not published
    select {{ place | ident }}, count(distinct {{ key | ident }}) as {{ persons | ident }}
    from {{ rows }}
    group by {{ place | ident }}
)
{% endif %}
select {{ k.list("person_rows", columns) }}{{ ", class_persons." ~ (persons | ident) if persons }}
from {{ rows }}{{ " as person_rows" if not rows.endswith(".person_rows") }}
{% if persons %}
inner join class_persons
{{ k.join("class_persons", "person_rows", [place]) -}}
{% endif %}
order by {{ k.list("person_rows", [place] + order) }}
