{#- inputs: hierarchies list[tuple[str, str]], columns list[tuple[str, str, str]] attribute value relation, listed bool: whether values are read from source_values -#}
-- proof_of_labels: values of the source that have no label at the published level, or several
-- reads:   {{ "source_values" if listed else "source_rows" }}, and the files or queries below
-- returns: one row per attribute with such values; no row if there is none
--   affected   affected values   [values]
-- nulls:   a missing value needs no label
with {% for name, sql in hierarchies %}
{{ name | ident }} as (
{{ sql }}
),
{% endfor %}
labeled_values (attribute, label_count) as (
{% for attribute, value, relation in columns %}
    {{ "union all " if not loop.first }}select {{ attribute | text }}, count({{ relation | ident }}.label)
    from (
{% if listed %}
        select value
        from sqlanon.source_values
        where attribute = {{ attribute | text }} and value is not null
{% else %}
        select distinct {{ value }} as value
        from sqlanon.source_rows
        where {{ attribute | ident }} is not null
{% endif %}
    ) as known_values
    left join {{ relation | ident }} on {{ relation | ident }}.value = known_values.value
    group by known_values.value
{% endfor %}
)
select attribute, count(*) as affected
from labeled_values
where label_count <> 1
group by attribute
order by attribute
