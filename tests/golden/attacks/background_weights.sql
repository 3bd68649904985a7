-- background_weights: the believed likelihood of each disease, by profile
-- reads:   background
-- returns: one row per row of background
--   label_N     the quasi-identifiers, as the table publishes them
--   text        the value of disease
--   weight      relative likelihood of the value; null if it is not a number
--   profile     number of the profile; its rows differ in value and weight only
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
from sqlanon.background
