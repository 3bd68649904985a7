{#- inputs: classes str, class_key list[str], k int, promise str, source str -#}
-- k_anonymity: {{ promise | comment }}
-- source:  {{ source | comment }}
-- reads:   {{ classes }}, one row per equivalence class
-- returns: one row per equivalence class
--   class_size  rows in the class   [rows]
--   satisfied   class_size >= {{ k | number }}, never null
-- nulls:   a null quasi-identifier is a value of its own
select
{% for column in class_key %}
    {{ column | ident }},
{% endfor %}
    class_size,
    class_size >= {{ k | number }} as satisfied
from {{ classes }}
