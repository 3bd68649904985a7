{#- inputs: classes str, class_values str, table_values str, class_key list[str], excess bool, unit bool, attribute str, alpha Decimal, k int, values list[str], promise str, source str -#}
{{ sqlanon.comments_head("-- alpha_k_anonymity: ", promise, source) }}
{{ sqlanon.comments_reads(classes ~ ", " ~ class_values ~ (", " ~ table_values if values) ~ " of " ~ sqlanon.comment(attribute)) }}
-- returns: one row per equivalence class
--   largest_share   share of the most frequent {{ "listed " if values }}value   [0 to 1]
--   class_size      {{ "persons" if unit else "rows" }} in the class   [{{ "persons" if unit else "rows" }}]
--   satisfied       class_size >= {{ sqlanon.number(k) }} and largest_share <= {{ sqlanon.number(alpha) }}, compared
--                   exactly; never null
{% if excess %}
{{ sqlanon.keys_excess_title() }}
{% endif %}
-- nulls:   a missing value is a value of its own
with value_shares as (
    select
{{ sqlanon.keys_select("classes", class_key, true) }}        min(classes.class_size) as class_size,
{% if values %}
        coalesce(
            max(class_values.value_count) filter (
                where table_values.text in ({{ sqlanon.keys_texts(values) }})
            ),
            0
        ) as largest_count
{% else %}
        max(class_values.value_count) as largest_count{{ "," if excess }}
{% if excess %}
        sum(
            greatest(class_values.value_count - {{ sqlanon.number(alpha) }} * classes.class_size, 0)
        ) as excess_count
{% endif %}
{% endif %}
    from {{ sqlanon.keys_named(class_values, "class_values") }}
{% if values %}
    inner join {{ sqlanon.keys_named(table_values, "table_values") }}
        on table_values.value = class_values.value
{% endif %}
    inner join {{ sqlanon.keys_named(classes, "classes") }}
{{ sqlanon.keys_join("classes", "class_values", class_key, true) }}    group by {{ sqlanon.keys_list("classes", class_key) }}
)
select
{{ sqlanon.keys_select("classes", class_key) }}    cast(value_shares.largest_count as {{ sqlanon.double() }}) / value_shares.class_size as largest_share,
    classes.class_size,
{% if excess %}
    case
        when classes.class_size < {{ sqlanon.number(k) }} then classes.class_size
        when value_shares.largest_count <= {{ sqlanon.number(alpha) }} * value_shares.class_size then 0
        else {{ "1" if values else "greatest(1, ceil(value_shares.excess_count))" }}
    end as excess_rows,
{% endif %}
    classes.class_size >= {{ sqlanon.number(k) }}
        and value_shares.largest_count <= {{ sqlanon.number(alpha) }} * value_shares.class_size as satisfied
from {{ sqlanon.keys_named(classes, "classes") }}
inner join value_shares
{{ sqlanon.keys_join("value_shares", "classes", class_key) }}
