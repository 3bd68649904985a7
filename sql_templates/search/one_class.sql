{#- inputs: class_key list[str], frequency_set str, judgements list[Judgement], node_table str | None, chosen bool, nodes list[list[int]], roll_up list[int] | None, subsets bool, values_counted list[ClassValues], carried list[str], unit bool, linked bool, population bool, words int -#}
-- one_class: the promises for all rows as one equivalence class, the most general publication;
--   a promise that fails here and is monotone under generalization fails for every publication
-- reads:   frequency_set
-- returns: one row; for each promise its measure, whether it holds, and a lower bound on the rows
--   that no publication can keep (null if the promise gives none)
with {% include "search/_classes.sql" %}
{%- for judgement in judgements %}
,
{{ judgement.name }} as (
{{ judgement.select | indent(4, first=true) }}
)
{%- endfor %}

select
{% for judgement in judgements %}
    {{ judgement.name }}.{{ judgement.model.deciding_measure[0] | ident }},
    {{ judgement.name }}.satisfied,
    {{ judgement.name ~ ".excess_rows" if judgement.counts_excess else "null" }}{{ "," if not loop.last }}
{% endfor %}
from {% for judgement in judgements %}{{ "cross join " if not loop.first }}{{ judgement.name }}{{ " " if not loop.last }}{% endfor %}

