{#- inputs: columns list[tuple[str, str, str, list[str]]] attribute relation query labels -#}
-- proof_of_labels: values of the source that have no label at the published level, or several
-- reads:   source_values, and the files or queries below
-- returns: one row per attribute with such values; no row if there is none
--   affected   affected values   [values]
-- nulls:   a missing value needs no label
with {% for _, name, sql, _ in columns %}
{{ name | ident }} as (
{{ sql }}
),
{% endfor %}
labeled_values (attribute, label_count) as (
{% for attribute, name, _, labels in columns %}
{% set first = loop.first %}
{% for label in labels %}
    {{ "union all " if not (first and loop.first) }}select {{ attribute | text }}, count({{ name | ident }}.{{ label }})
    from sqlanon.source_values
    left join {{ name | ident }} on {{ name | ident }}.value = source_values.value
    where source_values.attribute = {{ attribute | text }} and source_values.value is not null
    group by source_values.value
{% endfor %}
{% endfor %}
)
select attribute, count(*) as affected
from labeled_values
where label_count <> 1
group by attribute
order by attribute
