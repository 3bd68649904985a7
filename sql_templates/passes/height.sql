-- height: sum of the levels of a row's labels (Samarati 2001), the mean over published rows
-- reads:   decided_classes, class_covers
-- returns: one row
--   cost   levels, summed over the quasi-identifiers   [levels]
select
    coalesce(
        cast(sum(decided_classes.class_size * covers.level) as double)
            * count(distinct covers.attribute_number) / sum(decided_classes.class_size),
        0
    ) as cost
from sqlanon.class_covers as covers
inner join decided_classes on decided_classes.class_1 = covers.class
where decided_classes.published
