{#- inputs: columns list[str] -#}
-- column_quantiles: the quantiles of columns with numbers, in the sample
-- reads:   sampled_rows
-- returns: one row; for each column the numbers below which 1, 5, 12.5, 25 to 87.5, 95, 99 % lie
select
{% for column in columns %}
    quantile_cont(
        try_cast({{ column }} as double),
        [0.01, 0.05, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 0.95, 0.99]
    ) as quantiles_{{ loop.index }}{{ "," if not loop.last }}
{% endfor %}
from sqlanon.sampled_rows
