-- background_weights: how likely each disease is thought to be, for each profile
-- reads:   background
-- returns: one row per row of it
--   label_N     the quasi-identifiers, as the table publishes them
--   text        the value of disease
--   weight      how likely it is thought to be, in proportion; null if it is no number
--   profile     number of the profile: rows that agree in everything but value and weight
-- nulls:   a missing value is a value of its own
select
    cast(background.age as varchar) as label_1,
    cast(background.zip as varchar) as label_2,
    cast(background.disease as varchar) as text,
    try_cast(background.weight as double) as weight,
    dense_rank() over (
        order by
            cast(background.age as varchar),
            cast(background.zip as varchar)
    ) as profile
from sqlanon.background as background
