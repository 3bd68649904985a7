{#- inputs: title str, cases str, columns list[str] -#}
-- {{ title }}: the distinct cases to count; they contain no values
-- reads:   {{ cases }}
-- returns: one row per case: {{ columns | join(", ") }}; and of how many rows it is
select {{ columns | join(", ") }}, count(*) as row_count
from sqlanon.{{ cases }}
group by {{ columns | join(", ") }}
order by {{ columns | join(", ") }}
