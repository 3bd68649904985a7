-- entropy: bits of the original values lost by generalization (non-uniform entropy, Gionis and
--   Tassa 2009)
-- reads:   decided_classes, class_covers, generalized_values
-- returns: one row
--   cost   sum over cells of -log2(rows of the value / rows of its label)   [bits]
--          a suppressed cell has the label of all values
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
    select sum(row_count * log(2, row_count) order by attribute, code) as bits
    from sqlanon.generalized_values
    where level = 0 and row_count > 0
) as value_bits
