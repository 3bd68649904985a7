{#- inputs: title str, classes str, class_key list[str], groups str, most_rows int -#}
{% import "_keys.sql" as keys %}
-- {{ title }}: how many classes the attack covers
-- reads:   {{ classes }}, {{ groups }}
-- returns: one row: the number of classes, of classes whose persons are not known, and of classes
--   with more than {{ most_rows }} rows; and the rows of both kinds, which are not tried
select
    count(*) as class_count,
    count(*) filter (where known_classes.class_size is null) as unknown_count,
    count(*) filter (where known_classes.class_size > {{ most_rows }}) as large_count,
    coalesce(
        cast(sum(classes.class_size) filter (
            where known_classes.class_size is null or known_classes.class_size > {{ most_rows }}
        ) as bigint),
        0
    ) as open_rows
from {{ keys.named(classes, "classes") }}
left join (
    select distinct {{ keys.list("groups", class_key) }}, groups.class_size
    from sqlanon.{{ groups }} as groups
) as known_classes
{{ keys.join("known_classes", "classes", class_key) }}
