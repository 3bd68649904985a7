{#- inputs: classes, class_values, table_values, class_key, attribute str, l Decimal, c Decimal, harmless, never_excluded, c2, promise, source -#}
{% import "_keys.sql" as keys %}
-- l_diversity, recursive: {{ promise | comment }}
-- source:  {{ source | comment }}{{ "; positive disclosure of some values allowed (pd)" if harmless }}{{ "; some values never excluded (npd)" if never_excluded }}
-- reads:   {{ classes }}, {{ class_values }}{{ ", " ~ table_values if harmless or never_excluded }} of {{ attribute | comment }}
-- returns: one row per equivalence class
--   diversity   rows of the counted rarer values / rows of the most frequent value   [ratio]
--   satisfied   diversity > 1 / {{ c | number }}, in whole numbers, never null
-- nulls:   a missing value is a value of its own
with ranked_values as (
    select
{{ keys.select("class_values", class_key) | indent(4, first=true) -}}
{{ "        " }}class_values.value_count,
{% if harmless or never_excluded %}
        table_values.text,
{% endif %}
{% if harmless %}
        coalesce(table_values.text in ({% for value in harmless %}{{ value | text }}{{ ", " if not loop.last }}{% endfor %}), false) as harmless,
{% else %}
        false as harmless,
{% endif %}
        row_number() over (
            partition by {{ keys.list("class_values", class_key) | trim }}
            order by class_values.value_count desc, class_values.value
        ) as place
    from {{ class_values }} as class_values
{% if harmless or never_excluded %}
    inner join {{ table_values }} as table_values on table_values.value = class_values.value
{% endif %}
),
most_frequent_values as (
    -- the most frequent value that must not be disclosed
    select
{{ keys.select("ranked_values", class_key) | indent(4, first=true) -}}
{{ "        " }}min(place) filter (where not harmless) as place,
        max(value_count) filter (where not harmless) as value_count
    from ranked_values
    group by {{ keys.list("ranked_values", class_key) | trim }}
),
rarer_rows as (
    -- the {{ l | number }}th value and all rarer ones; where the most frequent one is rarer itself, from the
    -- {{ l - 1 }}th on without it
    select
{{ keys.select("ranked_values", class_key) | indent(4, first=true) -}}
{{ "        " }}coalesce(sum(ranked_values.value_count) filter (
            where case
                when most_frequent_values.place <= {{ l - 1 }} then ranked_values.place >= {{ l }}
                else ranked_values.place >= {{ l - 1 }} and ranked_values.place <> most_frequent_values.place
            end
        ), 0) as row_count
    from ranked_values
    inner join most_frequent_values
{{ keys.join("most_frequent_values", "ranked_values", class_key) | indent(4, first=true) -}}
{{ "    " }}group by {{ keys.list("ranked_values", class_key) | trim }}
){% if never_excluded %},
kept_values as (
    select
{{ keys.select("classes", class_key) | indent(4, first=true) -}}
{{ "        " }}count(*) filter (where ranked_values.value_count >= {{ c2 | number }} * classes.class_size) as value_count
    from {{ classes }} as classes
    inner join ranked_values
{{ keys.join("ranked_values", "classes", class_key) | indent(4, first=true) -}}
{{ "    " }}where ranked_values.text in ({% for value in never_excluded %}{{ value | text }}{{ ", " if not loop.last }}{% endfor %})
    group by {{ keys.list("classes", class_key) | trim }}
){% endif %}

select
{{ keys.select("classes", class_key) -}}
{{ "    " }}classes.class_size,
    cast(rarer_rows.row_count as double) / nullif(most_frequent_values.value_count, 0) as diversity,
    (
        most_frequent_values.value_count is null
{% if l == 1 %}
        or true
{% else %}
        or most_frequent_values.value_count < {{ c | number }} * rarer_rows.row_count
{% endif %}
    ){% if never_excluded %} and coalesce(kept_values.value_count, 0) = {{ never_excluded | length }}{% endif %} as satisfied
from {{ classes }} as classes
inner join most_frequent_values
{{ keys.join("most_frequent_values", "classes", class_key) -}}
inner join rarer_rows
{{ keys.join("rarer_rows", "classes", class_key) -}}
{% if never_excluded %}
left join kept_values
{{ keys.join("kept_values", "classes", class_key) -}}
{% endif %}
