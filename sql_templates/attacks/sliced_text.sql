{#- inputs: title str, rows str, bucket str, columns list[tuple[str, str]], attribute str -#}
-- {{ title }}: the quasi-identifiers and the sensitive value of each published row, as text
-- reads:   {{ rows | comment }}
-- returns: one row per row; columns that stay together in the publication still do
--   bucket            number of the bucket
{% for name, column in columns %}
--   {{ column }}           {{ name | comment }}
{% endfor %}
--   sensitive_value   {{ attribute | comment }}
-- nulls:   a missing value is a value of its own
select
    published.{{ bucket | ident }} as bucket,
{% for name, column in columns %}
    cast(published.{{ name | ident }} as varchar) as {{ column }},
{% endfor %}
    cast(published.{{ attribute | ident }} as varchar) as sensitive_value
from {{ rows }} as published
