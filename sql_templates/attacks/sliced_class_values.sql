{#- inputs: title str, rows str, attribute str, bucket_key str, companions list[tuple[str, str]] -#}
-- {{ title }}: how often each {{ attribute | comment }} occurs in a bucket with the same other values of its column group
-- reads:   {{ rows }}
-- returns: one row per bucket, combination of these values, and {{ attribute | comment }}
--   value         the {{ attribute | comment }}, as text
--   value_count   [rows]
-- nulls:   a missing value is a value of its own
select
    bucket as {{ bucket_key | ident }},
{% for column, alias in companions %}
    {{ column }} as {{ alias | ident }},
{% endfor %}
    sensitive_value as value,
    count(*) as value_count
from {{ rows }}
group by
    bucket,
{% for column, alias in companions %}
    {{ column }},
{% endfor %}
    sensitive_value
