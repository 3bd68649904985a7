{#- inputs: title str, attribute str, class_columns list[tuple[str, str]], class_key list[str], class_values str, table_values str, quasi_identifiers list[str] -#}
{% import "_keys.sql" as keys %}
-- {{ title }}: the background knowledge, by the classes that it applies to
-- reads:   published_rows, background_weights, {{ table_values }}, {{ class_values }}
-- returns: one row per class, profile, and value that occurs in the table or in the profile
--   profile       number of the profile
--   row_count     published rows of the class that have the profile's quasi-identifiers   [rows]
--   value         code of the {{ attribute | comment }}; below 0 if the table has no such value
--   value_count   rows of the class with the value; 0 if there are none   [rows]
--   weight        relative likelihood of the value; null if the profile does not mention it
-- nulls:   a missing value is a value of its own
with published_profiles as (
    select
{% for name, alias in class_columns %}
        published_rows.{{ name | ident }} as {{ alias | ident }},
{% endfor %}
        profiles.profile,
        count(*) as row_count
    from sqlanon.published_rows
    inner join (
        select distinct profile{% for name in quasi_identifiers %}, label_{{ loop.index }}{% endfor %}

        from sqlanon.background_weights
    ) as profiles
{% for name in quasi_identifiers %}
        {{ "on" if loop.first else "and" }} profiles.label_{{ loop.index }} is not distinct from cast(published_rows.{{ name | ident }} as varchar)
{% endfor %}
    group by
{% for name, alias in class_columns %}
        published_rows.{{ name | ident }},
{% endfor %}
        profiles.profile
),
coded_weights as (
    -- values that the table lacks get codes, too, because they reduce the belief in the others
    select
        weights.profile,
        coalesce(table_values.value, -dense_rank() over (order by weights.text)) as value,
        weights.weight
    from sqlanon.background_weights as weights
    left join {{ table_values }} as table_values
        on table_values.text is not distinct from weights.text
),
possible_values as (
    select profiles.profile, table_values.value
    from (select distinct profile from sqlanon.background_weights) as profiles
    cross join {{ table_values }} as table_values
    union all
    select coded_weights.profile, coded_weights.value
    from coded_weights
    where coded_weights.value < 0
)
select
{{ keys.select("published_profiles", class_key) }}    published_profiles.profile,
    published_profiles.row_count,
    possible_values.value,
    coalesce(class_values.value_count, 0) as value_count,
    coded_weights.weight
from published_profiles
inner join possible_values on possible_values.profile = published_profiles.profile
left join {{ class_values }} as class_values
{{ keys.join("class_values", "published_profiles", class_key) }}    and class_values.value = possible_values.value
left join coded_weights
    on coded_weights.profile = possible_values.profile
    and coded_weights.value = possible_values.value
