{#- inputs: name str, labels str, quasi_identifiers list[tuple[int, str]], by str -#}
{% import "_comments.sql" as comments %}
{% call comments.wrapped("-- " ~ name ~ ": ") %}
published labels of which it is not known what values they cover
{% endcall %}
{% call comments.wrapped("-- reads:   ") %}
{{ labels }}{{ ", population_labels" if by == "levels" }}
{% endcall %}
-- returns: one row: their number
select count(*)
from sqlanon.{{ labels }} as labels
{% if by == "levels" %}
where not exists (
    select 1
    from sqlanon.population_labels
    where population_labels.label is not distinct from labels.label
        and population_labels.attribute = case labels.attribute_number
{% for number, name in quasi_identifiers %}
            when {{ number }} then {{ name | text }}
{% endfor %}
        end
)
{% else %}
where labels.first_place is null or labels.last_place is null
{% endif %}
