{#- inputs: most_values int, most_counts int -#}
-- drawn_values: some values of every column in the sample, and how frequent the most frequent are
-- reads:   sampled_values
-- returns: one row per column with a value
--   drawn      different values, those with the smallest hashes   [list of text]
--   frequent   rows of the most frequent values, falling   [list of rows]
select
    column_name,
    arg_min(value, hash(value), {{ most_values }}) as drawn,
    max(row_count, {{ most_counts }}) as frequent
from sqlanon.sampled_values
group by column_name
order by column_name
