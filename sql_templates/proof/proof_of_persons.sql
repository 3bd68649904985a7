{#- inputs: is_hidden bool, is_known bool, count str, quasi_identifiers list[tuple[str, str]] -#}
{% import "_keys.sql" as k %}
{% set keys = quasi_identifiers | map(attribute=1) | list %}
{% macro shown(kind="bigint") %}
    select {% for name, alias in quasi_identifiers %}{{ name | ident }}{{ " as " ~ (alias | ident) if alias != name }}, {% endfor %}cast({{ count | ident }} as {{ kind }}) as person_count, count(*) as row_count
    from sqlanon.published_rows
    group by {% for name, alias in quasi_identifiers %}{{ name | ident }}, {% endfor %}{{ count | ident }}
{% endmacro %}
{% if not is_hidden or (is_known and not count) %}
-- proof_of_persons: every published row belongs to a person, because persons are counted
-- reads:   published_combinations
-- returns: one row if a row belongs to no person
select cast(sum(row_count) as bigint) as rows_of_nobody
from sqlanon.published_combinations
where person is null
having count(*) > 0
{% elif is_known %}
-- proof_of_persons: every published row has the number of persons of its class
-- reads:   published_rows, published_equivalence_classes
-- returns: one row if a class has another number, or none
select count(*) as classes
from (
{{ shown() }}) as shown_classes
left join sqlanon.published_equivalence_classes as classes
{{ k.join("classes", "shown_classes", keys) -}}
where shown_classes.person_count is distinct from classes.class_size
having count(*) > 0
{% else %}
-- proof_of_persons: the number of persons is one for all rows of a class, whole, and no more than
--   its rows
-- reads:   published_rows
-- returns: one row if a class is not so
select count(*) as classes
from (
    select {{ k.list("", keys) }}
    from (
{{ shown("decimal(38, 9)") | indent(4, first=true) }}    ) as shown_classes
    group by {{ k.list("", keys) }}
    having count(*) > 1 or max(person_count) > sum(row_count)
        or max(person_count) < 1 or max(person_count) is null
        or max(person_count) > floor(max(person_count))
) as unsound_classes
having count(*) > 0
{% endif %}
