{#- inputs: name str, attribute str, level_count int, titles list[str], rule str -#}
-- {{ name | comment }}: generalization hierarchy of {{ attribute | comment }}
{% for title in titles %}
--   level_{{ loop.index0 }}  {{ title | comment }}
{% endfor %}
-- reads:   source_values, and the rule or file below
-- returns: one row per value
-- nulls:   a null stays null below the top, and has a row if the source contains one
with {% if "known_values" in rule %}
known_values as (
    select value
    from sqlanon.source_values
    where attribute = {{ attribute | text }} and value is not null
),
{% endif %}
labels as (
{{ rule }}
),
tops as (
    select coalesce(min(level_{{ level_count - 1 }}), '*') as top_label
    from labels
)
select *
from labels
where level_0 is not null
union all
select
{% for level in range(level_count - 1) %}
    null,
{% endfor %}
    tops.top_label
from sqlanon.source_values
cross join tops
where source_values.attribute = {{ attribute | text }} and source_values.value is null
