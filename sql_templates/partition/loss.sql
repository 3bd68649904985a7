{#- inputs: trees list[int], sets list[int], labels str, measured list[int] -#}
-- loss: share of the domain that a label covers, mean over attributes by weight
-- source:  normalized certainty penalty, Ghinita 2007: of numbers and dates the length of the interval /
--          the length of the scale, of others 0 for one value, else values / all values
-- reads:   decided_classes, class_regions, value_places{{ ", label_places" if trees | reject("in", sets) | list }}
-- returns: one row
--   cost   0 (as in the source) to 1 (nothing left)
with {% include "partition/_covers.sql" %}

select
    sum(
        decided_classes.class_size * covers.weight * covers.share
        order by covers.class, covers.attribute_number
    )
        / sum(
            decided_classes.class_size * covers.weight
            order by covers.class, covers.attribute_number
        ) as cost
from covers
inner join decided_classes on decided_classes.class_1 = covers.class
