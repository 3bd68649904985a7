{#- inputs: title str, rows str, key list[tuple[str, str]], attribute str, unit str | None -#}
-- {{ title }}: how often each {{ attribute | comment }} occurs in each class of a release
-- reads:   {{ rows | comment }}
-- returns: one row per class and value
--   value_text   the value as text
--   value_count  {{ "persons" if unit else "rows" }}
-- nulls:   a missing value is a value of its own
select
{% for name, alias in key %}
    {{ name | ident }}{{ " as " ~ (alias | ident) if alias != name }},
{% endfor %}
    cast({{ attribute | ident }} as varchar) as value_text,
    {{ "count(distinct " ~ (unit | ident) ~ ")" if unit else "count(*)" }} as value_count
from {{ rows }}
group by
{% for name, alias in key %}
    {{ name | ident }},
{% endfor %}
    cast({{ attribute | ident }} as varchar)
