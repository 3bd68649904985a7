{#- inputs: quasi_identifiers list[str], row_count str, population_count str -#}
-- population_problems: combinations of which the source has more rows than the population
-- reads:   source_combinations
-- returns: one row if there are any, none if the population contains the source
--   combinations   how many there are
--   missing_rows   rows of the source that the population lacks   [rows]
with counted_combinations as (
    select
        sum({{ row_count | ident }}) as source_rows,
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
