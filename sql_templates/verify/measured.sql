{#- inputs: name str, model_sql str, column str, aggregate str -#}
-- {{ name }}: how well the classes hold the promise, and how many do not
-- reads:   the relations named below
-- returns: one row
select
    {{ aggregate }}({{ column }}) as measured,
    count(*) as class_count,
    count(*) filter (where not satisfied) as failing_classes,
    coalesce(sum(class_size) filter (where not satisfied), 0) as failing_rows
from (
{{ model_sql | indent(4, first=true) }}
) as judged_classes
