{#- inputs: quasi_identifiers list[tuple[str, str]], row_count str, person str -#}
{% import "_keys.sql" as keys %}
-- source_classes: the classes of the source, if its rows were published unchanged
-- reads:   source_combinations
-- returns: one row per class
--   class_size  {{ "persons" if person else "rows" }} in the class   [{{ "persons" if person else "rows" }}]
-- nulls:   a null is a value of its own
select
    {% for name, alias in quasi_identifiers %}{{ name | ident }} as {{ alias | ident }}, {% endfor %}

    {{ "count(distinct " ~ (person | ident) ~ ")" if person else "cast(sum(" ~ (row_count | ident) ~ ") as bigint)" }} as class_size
from sqlanon.source_combinations
where {{ row_count | ident }} > 0
group by {{ keys.list("", quasi_identifiers | map("first") | list) }}
