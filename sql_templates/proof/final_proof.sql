{#- inputs: name str, class_key list[str], relation str, rows str, combinations str, attributes list[tuple[int, str]], quasi_identifiers list[tuple[str, str]], model_sql str, unit str | None, population bool, values_of list[tuple] -#}
{% import "_keys.sql" as keys %}
-- {{ name }}, repeated at the final place; no row means that it holds
-- returns: one row per failing class; a class without a judgement fails
with published_rows as (
    select *
    from {{ relation }}
),
published_combinations as (
{% filter indent(4, first=true) %}{% include "proof/_combinations.sql" %}{% endfilter %}
),
published_equivalence_classes as (
{% filter indent(4, first=true) %}{% include "proof/_classes.sql" %}{% endfilter %}
),
{% for title, number, attribute, known, totals, key, is_generalized, is_joint in values_of %}
{{ title }} as (
{% filter indent(4, first=true) %}{% include "proof/_class_values.sql" %}{% endfilter %}
),
{% if totals %}
{{ totals }} as (
    select
{% for column in key %}
        {{ column | ident }},
{% endfor %}
        cast(sum(value_count) as bigint) as class_size
    from {{ title }}
    group by
{% for column in key %}
        {{ column | ident }}{{ "," if not loop.last }}
{% endfor %}
),
{% endif %}
{% endfor %}
judged_classes as (
{{ model_sql | indent(4, first=true) }}
)
select published_equivalence_classes.*
from published_equivalence_classes
left join judged_classes
{{ keys.join("judged_classes", "published_equivalence_classes", class_key) -}}
where not coalesce(judged_classes.satisfied, false)
order by all
