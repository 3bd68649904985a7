{#- inputs: classes str, class_values str, class_key list[str], excess bool, unit bool, attribute str, l Decimal, promise str, source str -#}
{% import "_comments.sql" as comments %}
{% import "_keys.sql" as keys %}
{% call comments.wrapped("-- l_diversity_frequency: ", width=86) %}
{{ promise | comment }}
{% endcall %}
-- source:  {{ source | comment }}
{% call comments.wrapped("-- reads:   ", width=86) %}
{{ class_values }}, how often each value of {{ attribute | comment }} occurs in each class, {{ classes }}
{% endcall %}
-- returns: one row per equivalence class
--   diversity   {{ "persons" if unit else "rows" }} of the class / {{ "persons" if unit else "rows" }} of its most frequent value   [ratio]
--   satisfied   {{ l | number }} * {{ "persons" if unit else "rows" }} of the most frequent value <= {{ "persons" if unit else "rows" }} of the
--               class, compared exactly; never null
{% if excess %}
{{ keys.excess_title() }}
{% endif %}
-- nulls:   a missing value is a value of its own
with value_shares as (
    select
{{ keys.select("classes", class_key, true) }}        min(classes.class_size) as class_size,
        max(class_values.value_count) as largest_count{{ "," if excess }}
{% if excess %}
        sum(
            greatest({{ l | number }} * class_values.value_count - classes.class_size, 0)
        ) as excess_count
{% endif %}
    from {{ keys.named(class_values, "class_values") }}
    inner join {{ keys.named(classes, "classes") }}
{{ keys.join("classes", "class_values", class_key, true) }}    group by {{ keys.list("classes", class_key) }}
)
select
{{ keys.select("value_shares", class_key) }}    cast(value_shares.class_size as double) / value_shares.largest_count as diversity,
{% if excess %}
    case
        when {{ l | number }} * value_shares.largest_count <= value_shares.class_size then 0
        else greatest(1, ceil(value_shares.excess_count / {{ l | number }}))
    end as excess_rows,
{% endif %}
    {{ l | number }} * value_shares.largest_count <= value_shares.class_size as satisfied
from value_shares
