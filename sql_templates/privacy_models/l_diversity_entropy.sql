{#- inputs: classes str, class_values str, class_key list[str], excess bool, unit bool, attribute str, l Decimal, promise str, source str -#}
{{ sqlanon.comments_head("-- l_diversity_entropy: ", promise, source) }}
{{ sqlanon.comments_reads(class_values ~ ", how often each value of " ~ sqlanon.comment(attribute) ~ " occurs in each class" ~ (", and " ~ classes if unit)) }}
-- returns: one row per equivalence class
--   diversity   exp(entropy of the values), the effective number of values   [values]
{% if unit %}
--               0 if a person has several values in the class
{% endif %}
--   satisfied   entropy >= ln({{ sqlanon.number(l) }}), within a tolerance of 1e-9; never null
{% if unit %}
--               and no person has several values in the class
{% endif %}
{% if excess %}
{{ sqlanon.keys_excess_title() }}
--                 entropy is concave: a kept part with entropy ln(l) has at most the share
--                 entropy / ln(l) of the rows
{% endif %}
-- nulls:   a missing value is a value of its own
with class_entropies as (
    select
{{ sqlanon.keys_select("class_values", class_key, true) }}        sum(class_values.value_count) as value_total,
{% if unit %}
        sum(class_values.value_count) > min(classes.class_size) as has_several,
{% endif %}
        ln(sum(class_values.value_count))
            - sum(class_values.value_count * ln(class_values.value_count))
                / sum(class_values.value_count) as entropy
    from {{ sqlanon.keys_named(class_values, "class_values") }}
{% if unit %}
    inner join {{ sqlanon.keys_named(classes, "classes") }}
{{ sqlanon.keys_join("classes", "class_values", class_key, true) -}}
{% endif %}
    group by {{ sqlanon.keys_list("class_values", class_key) }}
)
select
{{ sqlanon.keys_select("class_entropies", class_key) }}{% if unit %}
    case when class_entropies.has_several then 0
        else exp(class_entropies.entropy)
    end as diversity,
{% else %}
    exp(class_entropies.entropy) as diversity,
{% endif %}
{% if excess %}
{% if unit %}
    case when class_entropies.has_several then 1
        when class_entropies.entropy >= ln({{ sqlanon.number(l) }}) - 0.000000001 then 0
{% else %}
    case when class_entropies.entropy >= ln({{ sqlanon.number(l) }}) - 0.000000001 then 0
{% endif %}
        else greatest(
            1,
            ceil(
                class_entropies.value_total
                    * (1 - class_entropies.entropy / (ln({{ sqlanon.number(l) }}) - 0.000000001))
                    - 0.000001
            )
        )
    end as excess_rows,
{% endif %}
{% if unit %}
    not class_entropies.has_several
        and class_entropies.entropy >= ln({{ sqlanon.number(l) }}) - 0.000000001 as satisfied
{% else %}
    class_entropies.entropy >= ln({{ sqlanon.number(l) }}) - 0.000000001 as satisfied
{% endif %}
from class_entropies
