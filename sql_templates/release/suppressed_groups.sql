{#- inputs: attributes list[GroupedAttribute] number name alias word level group_level group_mask, placed bool, masks list[int], rolled_up list[int], unit bool, shown_from int, most int, linked bool, class_key list[str], model_checks list[ModelCheck], masked bool, node_table str | None, chosen bool, nodes list[list[int]], relation str, pruning bool, roll_up list[int] | None, alone list[ModelCheck], rechecks list[ModelCheck], star_checks list[ModelCheck], values_counted list[ClassValues], carried list[str], population bool, words int -#}
-- suppressed_groups: suppression by group of each quasi-identifier
--   A group is a label of the quasi-identifier at some level. The labels of the {{ most }} largest groups
--   are shown, but only of groups with {{ shown_from }} or more published {{ "persons" if unit else "rows" }}.
-- reads:   {{ "placed_set" if placed else "frequency_set" }}, generalized_values{{ ", published_equivalence_classes" if not linked }}
-- returns: one row per quasi-identifier and shown group, and one for all its other groups
--   attribute        the quasi-identifier
--   label            label of the group
--   is_shown         false for all other groups together
--   group_count      groups                                [groups]
--   row_count        source rows of these groups           [rows]
--   suppressed_rows  those of them that are not published  [rows]
-- nulls:   the label of a missing value is null, and that of all other groups
with {% if linked %}{% include "search/_classes.sql" %},
{% include "search/_decided_classes.sql" %},
published_persons as (
    select histories.person
    from histories
    inner join decided_classes
{% for part in class_key %}
        {{ "on" if loop.first else "and" }} decided_classes.{{ part }} = histories.{{ part }}
{% endfor %}
    where decided_classes.published
),
{% elif not placed %}published_keys as (
    select distinct
{% for mask in masks %}
{% set word = loop.index %}
{% for attribute in attributes if attribute.word == word %}
        {{ "+ " if not loop.first }}labels_{{ attribute.number }}.code{{ " as key_" ~ word ~ ("," if word < masks | length else "") if loop.last }}
{% endfor %}
{% endfor %}
    from sqlanon.published_equivalence_classes as classes
{% for attribute in attributes %}
    inner join sqlanon.generalized_values as labels_{{ attribute.number }}
        on labels_{{ attribute.number }}.attribute = {{ attribute.name | text }}
        and labels_{{ attribute.number }}.level = {{ attribute.level }}
        and labels_{{ attribute.number }}.label is not distinct from classes.{{ attribute.alias | ident }}
{% endfor %}
),
{% endif %}
{% if placed %}judged_combinations as materialized (
    -- the rows of passes, whose labels are published or not
    select
        placed_set.*,
        published_labels.is_published is not null as is_published
    from sqlanon.placed_set
    left join (
        select distinct {% for attribute in attributes %}{{ attribute.alias | ident }}, {% endfor %}true as is_published
        from sqlanon.published_equivalence_classes
    ) as published_labels
        on placed_set.level_1 is not null
{% for attribute in attributes %}
        and published_labels.{{ attribute.alias | ident }} is not distinct from placed_set.label_{{ attribute.number }}
{% endfor %}
{% if population %}
    where placed_set.row_count > 0
{% endif %}
),
{% else %}
combinations as (
    select
{% for mask in rolled_up %}
        key_{{ loop.index }} & {{ mask }} as key_{{ loop.index }},
{% endfor %}
{% if unit %}
        person,
{% endif %}
        cast(sum(row_count) as bigint) as row_count
    from sqlanon.frequency_set
    where row_count > 0
    group by {% for mask in rolled_up %}key_{{ loop.index }} & {{ mask }}{{ ", " if not loop.last or unit }}{% endfor %}{{ "person" if unit }}
),
judged_combinations as materialized (
    select
        combinations.*,
        {{ "published_persons.person" if linked else "published_keys.key_1" }} is not null as is_published
    from combinations
{% if linked %}
    left join published_persons on published_persons.person = combinations.person
{% else %}
    left join published_keys
{% for mask in masks %}
        {{ "on" if loop.first else "and" }} published_keys.key_{{ loop.index }} = combinations.key_{{ loop.index }} & {{ mask }}
{% endfor %}
{% endif %}
),
{% endif %}
grouped_rows as (
{% for attribute in attributes %}
    {{ "union all " if not loop.first }}select
        {{ attribute.number }} as attribute_number,
        {{ attribute.name | text }} as attribute,
        {{ attribute.group_level }} as level,
        key_{{ attribute.word }} & {{ attribute.group_mask }} as code,
        sum(row_count) as row_count,
        coalesce(sum(row_count) filter (where not is_published), 0) as suppressed_rows,
{% if unit %}
        count(distinct person) filter (where is_published) as published_count
{% else %}
        coalesce(sum(row_count) filter (where is_published), 0) as published_count
{% endif %}
    from judged_combinations
    group by key_{{ attribute.word }} & {{ attribute.group_mask }}
{% endfor %}
),
ranked_groups as (
    select
        grouped_rows.*,
        labels.label,
        grouped_rows.published_count >= {{ shown_from }} and row_number() over (
            partition by grouped_rows.attribute_number
            order by
                grouped_rows.published_count >= {{ shown_from }} desc,
                grouped_rows.row_count desc,
                labels.label
        ) <= {{ most }} as is_shown
    from grouped_rows
    inner join sqlanon.generalized_values as labels
        on labels.attribute = grouped_rows.attribute
        and labels.level = grouped_rows.level
        and labels.code = grouped_rows.code
)
select
    attribute,
    case when is_shown then label end as label,
    is_shown,
    count(*) as group_count,
    cast(sum(row_count) as bigint) as row_count,
    cast(sum(suppressed_rows) as bigint) as suppressed_rows
from ranked_groups
group by attribute_number, attribute, case when is_shown then label end, is_shown
order by attribute_number, is_shown desc, row_count desc, label
