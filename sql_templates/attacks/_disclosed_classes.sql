{#- From `disclosed_values` (class key, certainty, is_disclosed, the attack's `measures`) to one row per class. With `beliefs`, they have one row per value and belief; otherwise one per value, with class_size and value_count. -#}
{% if beliefs %},
value_disclosures as (
    -- at risk is a value that is disclosed to somebody who may be in the class
    select
{{ keys.select("disclosed_values", class_key, true) }}        disclosed_values.value,
        max(disclosed_values.certainty) as certainty,
{% for name in measures %}
        max(disclosed_values.{{ name }}) as {{ name }},
{% endfor %}
        bool_or(disclosed_values.is_disclosed) as is_disclosed
    from disclosed_values
    group by {{ keys.list("disclosed_values", class_key, last=["disclosed_values.value"]) }}
),
counted_values as (
    select
{{ keys.select("classes", class_key, true) }}        classes.class_size,
        class_values.value_count,
        value_disclosures.certainty,
{% for name in measures %}
        value_disclosures.{{ name }},
{% endfor %}
        value_disclosures.is_disclosed and class_values.value_count is not null as is_disclosed
    from {{ classes }} as classes
    inner join value_disclosures
{{ keys.join("value_disclosures", "classes", class_key, true) }}    left join {{ class_values }} as class_values
{{ keys.join("class_values", "value_disclosures", class_key, true) }}        and class_values.value is not distinct from value_disclosures.value
){% endif %}

{% set values = "counted_values" if beliefs else "disclosed_values" %}
select
{{ keys.select(values, class_key) }}    {{ values }}.class_size,
    -- a person with several values is counted once
    least(
        coalesce(sum({{ values }}.value_count) filter (where {{ values }}.is_disclosed), 0),
        {{ values }}.class_size
    ) as rows_at_risk,
    max({{ values }}.certainty) as certainty,
{% for name in measures %}
    max({{ values }}.{{ name }}) as {{ name }},
{% endfor %}
    bool_or({{ values }}.is_disclosed) as broken
from {{ values }}
group by {{ keys.list(values, class_key, last=[values ~ ".class_size"]) }}
