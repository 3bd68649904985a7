{#- inputs: title str, relation str, columns list[tuple[str, bool]] name is_number -#}
-- {{ title }}: what the values of columns are, to choose how they are counted
-- reads:   {{ relation }}
-- returns: one row per column
--   position        position of the column in the list
--   distinct_count  different values; of columns of numbers about  [values]
--   is_number       whether all values are numbers, and no codes such as 02139
--   is_date         whether all values are dates
--   year_count      different years, if so                         [values]
--   low, high       the numbers that 2 and 98 percent are less than
--   is_code         whether all are texts of one length
--   beginnings      different beginnings of one, two, three and four characters   [texts]
-- nulls:   a missing value is none
{% for name, is_number in columns %}
{{ "union all " if not loop.first }}select
    {{ loop.index }} as position,
{% if is_number %}
    approx_count_distinct({{ name | ident }}) as distinct_count,
    true as is_number,
    false as is_date,
    0 as year_count,
    approx_quantile(cast({{ name | ident }} as double), 0.02) as low,
    approx_quantile(cast({{ name | ident }} as double), 0.98) as high,
    false as is_code,
    [0, 0, 0, 0] as beginnings
from {{ relation }}
{% else %}
    count(text) as distinct_count,
    bool_and(
        try_cast(text as double) is not null
        and not (left(text, 1) = '0' and substr(text, 2, 1) between '0' and '9')
    ) as is_number,
    bool_and(try_cast(text as timestamp) is not null) as is_date,
    count(distinct left(text, 4)) as year_count,
    approx_quantile(try_cast(text as double), 0.02) as low,
    approx_quantile(try_cast(text as double), 0.98) as high,
    min(length(text)) = max(length(text)) as is_code,
    [
        count(distinct left(text, 1)),
        count(distinct left(text, 2)),
        count(distinct left(text, 3)),
        count(distinct left(text, 4))
    ] as beginnings
from (
    select distinct cast({{ name | ident }} as varchar) as text
    from {{ relation }}
) as texts_{{ loop.index }}
where text is not null
{% endif %}
{% endfor %}
order by position
