{#- inputs: unit bool, population bool, judgements list[Judgement], values_counted list[ClassValues] -#}
-- one_class: the promises for all rows as one equivalence class, the most general publication;
--   a promise that fails here and is monotone under generalization fails for every publication
-- reads:   cells
-- returns: one row; for each promise its measure, whether it holds, and a lower bound on the rows
--   that no publication can keep (null if the promise gives none)
with all_cells as (
    -- the cells, all in one class
    select *, 1 as class
    from sqlanon.cells
),
{% set counted_from = "all_cells" %}{% set class_key = ["class"] %}{% include "partition/_judged_classes.sql" %}
{% set last = judgements | last %}
judged as (
    -- one row: the judgements side by side
    select
{% for judgement in judgements %}
        {{ judgement.name }}.{{ judgement.model.deciding_measure[0] | ident }} as measure_{{ loop.index }},
        {{ judgement.name }}.satisfied as satisfied_{{ loop.index }},
        {{ judgement.name ~ ".excess_rows" if judgement.counts_excess else "null" }} as excess_{{ loop.index }}{{ "," if not loop.last }}
{% endfor %}
    from {% for judgement in judgements %}{{ "cross join " if not loop.first }}{{ judgement.name }}{{ " " if not loop.last }}{% endfor %}

)
select *
from judged
