{#- one row per attribute: its weight, and the distance of reconstructed values from the source's -#}
select
    attribute_number,
    attribute,
    weight,
    sum(abs(share - published_share) order by value) / 2 as distance
from (
    select
        attribute_number,
        attribute,
        weight,
        value,
        row_count / sum(row_count) over (partition by attribute_number) as share,
        published_rows / nullif(
            sum(published_rows order by value) over (partition by attribute_number), 0
        ) as published_share
    from sqlanon.reconstructed_values
) as value_shares
group by attribute_number, attribute, weight
