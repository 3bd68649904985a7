{#- inputs: -#}
-- ambiguity: original combinations that a published row may stand for (Nergiz and Clifton 2007)
-- reads:   decided_classes, class_covers
-- returns: one row
--   cost   mean over rows of the product of the numbers of values that its labels cover
--          [combinations]
with class_domains as (
    -- a product of integers, computed by logarithms and rounded to an integer
    select class, floor(exp(sum(ln(leaf_count) order by attribute_number)) + 0.5) as combinations
    from sqlanon.class_covers
    group by class
)
select
    sum(decided_classes.class_size * class_domains.combinations order by class_domains.class)
        / sum(decided_classes.class_size) as cost
from class_domains
inner join decided_classes on decided_classes.class_1 = class_domains.class
