{#- inputs: quasi_identifiers list[str], population_count str -#}
-- proof_of_whole_persons: persons of the population without a value, of whom no row is published
-- reads:   population_combinations
-- returns: one row if there are such persons; no row if each could have a published row
--   persons   such persons   [persons]
select cast(sum({{ population_count | ident }}) as bigint) as persons
from sqlanon.population_combinations
where {% for name in quasi_identifiers %}{{ name | ident }} is null{{ "\n    or " if not loop.last }}{% endfor %}

having count(*) > 0
