{#- inputs: parts list[Part] -#}
-- joined_parts: parts of rows of the same bucket; each table has as many rows of every bucket
-- reads:   {% for part in parts %}{{ part.shuffled }}{{ ", " if not loop.last }}{% endfor %}

-- returns: one row per published row, in the order of the publication
--   row_of_..   number of the distinct row that a part is of
select
{% for part in parts %}
    {{ part.shuffled | ident }}.combination as {{ part.named("row") | ident }},
{% endfor %}
    {{ (parts | first).shuffled | ident }}.bucket
from sqlanon.{{ (parts | first).shuffled | ident }}
{% for part in parts[1:] %}
positional join sqlanon.{{ part.shuffled | ident }}
{% endfor %}
