{#- inputs: rows str, columns list[str], is_text bool, side str -#}
{% import "_keys.sql" as k %}
-- proof_of_person_rows: the published rows are those of person_rows, without the persons
-- reads:   published_rows, {{ rows.removeprefix("sqlanon.") }}
-- returns: one row if any row is in one of them more often than in the other
--   differing_rows   distinct rows of which this is so   [rows]
-- nulls:   a null is a value of its own
{% macro values() %}{% for name in columns %}{{ "cast(" ~ (name | ident) ~ " as varchar) as " if is_text }}{{ name | ident }}, {% endfor %}{% endmacro %}
select count(*) as differing_rows
from (
    select {{ k.list("", columns) }}
    from (
        select {{ k.list("", columns) }}, 1 as {{ side | ident }}
        from sqlanon.published_rows
        union all
        select {{ values() }}-1 as {{ side | ident }}
        from {{ rows }}
    ) as rows_of_both
    group by {{ k.list("", columns) }}
    having sum({{ side | ident }}) <> 0
) as differing
having count(*) > 0
