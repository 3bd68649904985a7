-- level_measures: the information loss of each level of each attribute if no row is suppressed;
--   searches and measures read it, the release does not
-- reads:   generalized_values
-- returns: one row per attribute and level
--   row_count              source rows                                            [rows]
--   value_count            labels that occur in the source                        [labels]
--   leaf_count             values of the hierarchy                                [values]
--   leaf_rows              sum over rows of the values below the row's label      [values]
--   single_leaf_rows       rows whose label stands for one value                  [rows]
--   leaf_logarithms        sum over rows of ln(values below the row's label)
--   data_...               the same, for values that occur in the source
--   entropy_bits           sum over rows of -log2(rows of value / rows of label)  [bits]
--                          (non-uniform entropy, Gionis and Tassa 2009)
with value_bits as (
    select attribute, sum(row_count * log(2, row_count)) as bits
    from sqlanon.generalized_values
    where level = 0 and row_count > 0
    group by attribute
)
select
    generalized_values.attribute,
    generalized_values.level,
    cast(sum(row_count) as bigint) as row_count,
    count(*) filter (where row_count > 0) as value_count,
    cast(sum(leaf_count) as bigint) as leaf_count,
    cast(sum(row_count * leaf_count) as bigint) as leaf_rows,
    cast(coalesce(sum(row_count) filter (where leaf_count = 1), 0) as bigint) as single_leaf_rows,
    sum(row_count * ln(leaf_count)) as leaf_logarithms,
    cast(sum(data_leaf_count) as bigint) as data_leaf_count,
    cast(sum(row_count * data_leaf_count) as bigint) as data_leaf_rows,
    cast(coalesce(sum(row_count) filter (where data_leaf_count = 1), 0) as bigint)
        as data_single_leaf_rows,
    floor(
        (sum(case when row_count > 0 then row_count * log(2, row_count) else 0 end)
            - min(value_bits.bits)) * 10000000000 + 0.5
    ) / 10000000000 as entropy_bits
from sqlanon.generalized_values
inner join value_bits on value_bits.attribute = generalized_values.attribute
group by generalized_values.attribute, generalized_values.level
order by generalized_values.attribute, generalized_values.level
