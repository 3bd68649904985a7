-- average_generalization: levels that values were raised, summed over rows and attributes (AG)
-- reads:   decided_classes, class_covers
-- returns: one row
--   cost   level of each cell's label, of a suppressed one the highest   [levels]
select cast(sum(decided_classes.class_size * covers.level) as bigint) as cost
from sqlanon.class_covers as covers
inner join decided_classes on decided_classes.class_1 = covers.class
