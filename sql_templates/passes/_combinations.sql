{#- the CTE `combinations`: packed keys, of each person if they are counted, with their rows, or those of the population: `words`, `unit`, `population` -#}
combinations as (
    select {% for word in range(1, words + 1) %}key_{{ word }}, {% endfor %}{{ "person, " if unit }}cast(sum({{ "population_count" if population else "row_count" }}) as bigint) as row_count
    from sqlanon.frequency_set
    group by {% for word in range(1, words + 1) %}key_{{ word }}{{ ", " if unit or not loop.last }}{% endfor %}{{ "person" if unit }}
)
