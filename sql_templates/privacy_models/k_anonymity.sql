{#- inputs: classes str, class_key list[str], excess bool, unit bool, k int, promise str, source str -#}
{% import "_comments.sql" as comments %}
{% import "_keys.sql" as keys %}
{% call comments.wrapped("-- k_anonymity: ", width=86) %}
{{ promise | comment }}
{% endcall %}
-- source:  {{ source | comment }}
-- reads:   {{ classes }}, one row per equivalence class
-- returns: one row per equivalence class
--   class_size  {{ "persons" if unit else "rows" }} in the class   [{{ "persons" if unit else "rows" }}]
--   satisfied   class_size >= {{ k | number }}; never null
{% if excess %}
{{ keys.excess_title() }}
{% endif %}
-- nulls:   a null quasi-identifier is a value of its own
{% set satisfied %}class_size >= {{ k | number }} as satisfied{% endset %}
{% if excess %}
select
{{ keys.select("classes", class_key) }}    classes.class_size,
    case
        when classes.class_size >= {{ k | number }} then 0
        else classes.class_size
    end as excess_rows,
    classes.{{ satisfied }}
{% else %}
select {{ keys.list("", class_key) }}, class_size, {{ satisfied }}
{% endif %}
from {{ keys.named(classes, "classes") }}
