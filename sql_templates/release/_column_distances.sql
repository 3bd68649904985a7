{#- one row per attribute: its weight, and the distance of reconstructed values from the source's.
    Published rows are fractions: their sum has an order, which a window's sum has not everywhere. -#}
select
    attribute_number,
    attribute,
    weight,
    sum(abs(row_count / total - published_rows / nullif(published_total, 0)) order by value) / 2
        as distance
from sqlanon.reconstructed_values
inner join (
    select
        attribute_number as total_number,
        sum(row_count) as total,
        sum(published_rows order by value) as published_total
    from sqlanon.reconstructed_values
    group by attribute_number
) as totals on total_number = attribute_number
group by attribute_number, attribute, weight
