{#- inputs: quasi_identifiers list[str], unit_alias str | None, row_count str, population_count str -#}
-- proof_of_population: combinations with more {{ "persons" if unit_alias else "rows" }} in the source than in the population
-- reads:   source_combinations
-- returns: one row if there are such combinations; no row if the population contains the source
--   combinations   such combinations   [combinations]
--   missing_rows   {{ "persons" if unit_alias else "rows" }} of the source that are missing from the population   [rows]
with counted_combinations as (
    select
        {{ "count(distinct " ~ (unit_alias | ident) ~ ")" if unit_alias else "sum(" ~ (row_count | ident) ~ ")" }} as source_rows,
        sum({{ population_count | ident }}) as population_rows
    from sqlanon.source_combinations
    group by
{% for name in quasi_identifiers %}
        {{ name | ident }}{{ "," if not loop.last }}
{% endfor %}
)
select
    count(*) as combinations,
    cast(sum(source_rows - population_rows) as bigint) as missing_rows
from counted_combinations
where source_rows > population_rows
having count(*) > 0
