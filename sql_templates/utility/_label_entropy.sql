{#- bits that labels of classes lose, after `decided_classes` and `class_covers`: values, the relation of original values; order, and condition, SQL about them -#}
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
    select sum(row_count * log(2, row_count) order by {{ order }}) as bits
    from sqlanon.{{ values }}
    where {{ condition }}
) as value_bits
