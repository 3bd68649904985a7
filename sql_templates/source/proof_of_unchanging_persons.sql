{#- inputs: quasi_identifiers list[str], unit_alias str, row_count str -#}
-- proof_of_unchanging_persons: persons whose quasi-identifiers differ from row to row; in a population, which has one row per person, it would be unknown which row is theirs
-- reads:   source_combinations
-- returns: one row if there are such persons; no row if there are none
--   persons   such persons   [persons]
select count(*) as persons
from (
    select {{ unit_alias | ident }}
    from (
        select distinct
            {{ unit_alias | ident }}{% for name in quasi_identifiers %}, {{ name | ident }}{% endfor %}

        from sqlanon.source_combinations
        where {{ row_count | ident }} > 0
    ) as combinations
    group by {{ unit_alias | ident }}
    having count(*) > 1
) as changing
having count(*) > 0
