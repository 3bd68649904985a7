{#- inputs: population str -#}
-- fitting_pairs: about how many pairs there are of a person and a class that the person fits
-- reads:   {{ population }}, drawn_persons, drawn_regions
-- returns: one row; persons who share their quasi-identifiers are one
--   persons   of the population
--   pairs     those of the drawn persons, times all persons / drawn persons
with counts as (
    select
        (select count(*) from {{ population }}) as persons,
        (select count(*) from sqlanon.drawn_persons) as drawn,
        (select count(*) from sqlanon.drawn_regions) as drawn_pairs
)
select
    persons,
    cast(ceil(cast(drawn_pairs as double) * persons / greatest(drawn, 1)) as bigint) as pairs
from counts
