{#- inputs: unit bool, population bool, model_checks list[ModelCheck], values_counted list[ClassValues] -#}
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
{% set last = model_checks | last %}
judged as (
    -- one row: the checks of the models side by side
    select
{% for model_check in model_checks %}
        {{ model_check.name }}.{{ model_check.model.deciding_measure[0] | ident }} as measure_{{ loop.index }},
        {{ model_check.name }}.satisfied as satisfied_{{ loop.index }},
        {{ model_check.name ~ ".excess_rows" if model_check.counts_excess else "null" }} as excess_{{ loop.index }}{{ "," if not loop.last }}
{% endfor %}
    from {% for model_check in model_checks %}{{ "cross join " if not loop.first }}{{ model_check.name }}{{ " " if not loop.last }}{% endfor %}

)
select *
from judged
