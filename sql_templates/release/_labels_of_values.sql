{#- the labels of the distinct values of a column of the source, by its rule: labels, value, source #}
    -- every value once, because many rows repeat few values
    select value, {% for expression, alias in labels %}{{ expression | indent(8) }} as {{ alias }}{{ ", " if not loop.last }}{% endfor %}

    from (
        select distinct {{ value }} as value
        from {{ source }}
    ) as known_values
