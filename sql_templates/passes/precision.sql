-- precision: the height of the published levels (Sweeney 2002; Prec is 1 minus this cost)
-- reads:   decided_classes, class_covers
-- returns: one row
--   cost   mean over cells of level / height of the hierarchy   [0 to 1]; suppressed: 1
select
    sum(decided_classes.class_size * case
        when not decided_classes.published then 1
        when covers.height = 0 then 0
        else cast(covers.level as double) / covers.height
    end order by covers.class, covers.attribute_number) / sum(decided_classes.class_size) as cost
from sqlanon.class_covers as covers
inner join decided_classes on decided_classes.class_1 = covers.class
