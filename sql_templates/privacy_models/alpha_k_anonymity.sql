{#- inputs: classes str, class_values str, table_values str, class_key list[str], excess bool, unit bool, attribute str, alpha Decimal, k int, values list[str], promise str, source str -#}
{% import "_comments.sql" as comments %}
{% import "_keys.sql" as keys %}
{% call comments.wrapped("-- alpha_k_anonymity: ", width=86) %}
{{ promise | comment }}
{% endcall %}
-- source:  {{ source | comment }}
{% call comments.wrapped("-- reads:   ", width=86) %}
{{ classes }}, {{ class_values }}{{ ", " ~ table_values if values }} of {{ attribute | comment }}
{% endcall %}
-- returns: one row per equivalence class
--   largest_share   share of the most frequent {{ "listed " if values }}value   [0 to 1]
--   class_size      {{ "persons" if unit else "rows" }} in the class   [{{ "persons" if unit else "rows" }}]
--   satisfied       class_size >= {{ k | number }} and largest_share <= {{ alpha | number }}, compared
--                   exactly; never null
{% if excess %}
{{ keys.excess_title() }}
{% endif %}
-- nulls:   a missing value is a value of its own
with value_shares as (
    select
{{ keys.select("classes", class_key, true) }}        min(classes.class_size) as class_size,
{% if values %}
        coalesce(
            max(class_values.value_count) filter (
                where table_values.text in ({{ keys.texts(values) }})
            ),
            0
        ) as largest_count
{% else %}
        max(class_values.value_count) as largest_count{{ "," if excess }}
{% if excess %}
        sum(
            greatest(class_values.value_count - {{ alpha | number }} * classes.class_size, 0)
        ) as excess_count
{% endif %}
{% endif %}
    from {{ keys.named(class_values, "class_values") }}
{% if values %}
    inner join {{ keys.named(table_values, "table_values") }}
        on table_values.value = class_values.value
{% endif %}
    inner join {{ keys.named(classes, "classes") }}
{{ keys.join("classes", "class_values", class_key, true) }}    group by {{ keys.list("classes", class_key) }}
)
select
{{ keys.select("classes", class_key) }}    cast(value_shares.largest_count as double) / value_shares.class_size as largest_share,
    classes.class_size,
{% if excess %}
    case
        when classes.class_size < {{ k | number }} then classes.class_size
        when value_shares.largest_count <= {{ alpha | number }} * value_shares.class_size then 0
        else {{ "1" if values else "greatest(1, ceil(value_shares.excess_count))" }}
    end as excess_rows,
{% endif %}
    classes.class_size >= {{ k | number }}
        and value_shares.largest_count <= {{ alpha | number }} * value_shares.class_size as satisfied
from {{ keys.named(classes, "classes") }}
inner join value_shares
{{ keys.join("value_shares", "classes", class_key) }}
