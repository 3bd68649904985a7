{#- inputs: columns list[str] -#}
-- sampled_columns: what is measured of every column in the sample
-- reads:   sampled_rows
-- returns: one row: the number of rows, then for each column
--   present    values   [values]
--   distinct   different values   [values]
--   once       values of one row alone   [values]
--   length     mean length of a value; 0 without one   [characters]
--   words      mean number of words of a value; 0 without one   [words]
--   padded     values that begin with 0 and another digit   [values]
select
    count(*) as row_count,
{% for column in columns %}
    count({{ column }}) as present_{{ loop.index }},
    count(distinct {{ column }}) as distinct_{{ loop.index }},
    (
        select count(*)
        from (
            select {{ column }}
            from sqlanon.sampled_rows
            where {{ column }} is not null
            group by {{ column }}
            having count(*) = 1
        ) as single_values
    ) as once_{{ loop.index }},
    coalesce(avg(length({{ column }})), 0) as length_{{ loop.index }},
    coalesce(avg(len(regexp_extract_all({{ column }}, '\S+'))), 0) as words_{{ loop.index }},
    count(*) filter (regexp_matches({{ column }}, '^0[0-9]')) as padded_{{ loop.index }}{{ "," if not loop.last }}
{% endfor %}
from sqlanon.sampled_rows
