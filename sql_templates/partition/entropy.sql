{#- inputs: -#}
-- entropy: bits of the original values lost by generalization (non-uniform entropy, Gionis and
--   Tassa 2009)
-- reads:   decided_classes, class_covers, value_places
-- returns: one row
--   cost   sum over cells of -log2(rows of the value / rows of its label)   [bits]
select greatest(0, label_bits.bits - value_bits.bits) as cost
from (
    select sum(
        decided_classes.class_size * log(2, covers.leaf_rows)
        order by covers.class, covers.attribute_number
    ) as bits
    from sqlanon.class_covers as covers
    inner join decided_classes on decided_classes.class_1 = covers.class
) as label_bits
cross join (
    select sum(row_count * log(2, row_count) order by attribute_number, place) as bits
    from sqlanon.value_places
    where row_count > 0
) as value_bits
