{#- inputs: attributes list[str], strata list[str], quasi_identifiers list[str], population_count str, relation str, unit str | None, known str -#}
-- source_values: every value that a promise{{ " or a stratum" if strata }} reads, as text; without a source, the classes are
--   compared with the published table itself
-- reads:   the published table{{ (", " ~ (known or "population_combinations")) if quasi_identifiers }}
-- returns: one row per attribute and value
{% for name in attributes + strata %}
{{ "union all " if not loop.first }}select
    {{ name | text }} as attribute,
    cast({{ name | ident }} as varchar) as value,
    {{ "count(distinct " ~ (unit | ident) ~ ")" if unit else "count(*)" }} as row_count
from {{ relation }} as published_rows
group by cast({{ name | ident }} as varchar)
{% endfor %}
{% for name in quasi_identifiers %}
{{ "union all " if attributes or strata or not loop.first }}select
    {{ name | text }} as attribute,
    cast({{ name | ident }} as varchar) as value,
    {{ "count(*)" if known else "cast(sum(" ~ (population_count | ident) ~ ") as bigint)" }} as row_count
from {{ known or "sqlanon.population_combinations" }}
group by cast({{ name | ident }} as varchar)
{% endfor %}
