{#- CTEs: `label_ends`, the values that somebody with a tight label has; `label_children`; `class_ends` and `candidates`, the persons who may have them -#}
label_ends as (
    -- one person of a class has the lowest value of an interval, and one the highest
    select distinct attribute_number, label, value
    from (
        select
            attribute_number,
            label,
            value,
            place,
            min(place) over (partition by attribute_number, label) as first_place,
            max(place) over (partition by attribute_number, label) as last_place
        from sqlanon.{{ labels }}
        where form = 'interval'
    ) as intervals
    where place in (first_place, last_place)
    union all
    -- each value of a set belongs to a person of the class
    select attribute_number, label, value
    from sqlanon.{{ labels }}
    where form = 'set'
),
label_children as (
    -- the labels one level below the label of a class; its rows have at least two of them
    select distinct
        labels.attribute_number,
        labels.label,
        labels.value,
        finer.label as child
    from (
        select attribute_number, label, min(level) as level
        from sqlanon.label_places
        group by attribute_number, label
    ) as lowest_levels
    inner join sqlanon.{{ labels }} as labels
        on labels.attribute_number = lowest_levels.attribute_number
        and labels.label is not distinct from lowest_levels.label
    inner join sqlanon.label_places as finer
        on finer.attribute_number = labels.attribute_number
        and finer.place = labels.place
        and finer.level = lowest_levels.level - 1
    where labels.form = 'ancestor'
),
class_ends as (
{% for name, alias in quasi_identifiers %}
    {{ "union all " if not loop.first }}select
{{ keys.select("classes", class_key, true) }}        label_ends.attribute_number,
        label_ends.value
    from {{ keys.named(classes, "classes") }}
    inner join label_ends
        on label_ends.attribute_number = {{ loop.index }}
        and label_ends.label is not distinct from cast(classes.{{ alias | ident }} as varchar)
{% endfor %}
),
candidates as (
    -- persons of the class whose value is the end itself
{% for name, alias in quasi_identifiers %}
    {{ "union all " if not loop.first }}select
{{ keys.select("located", class_key, true) }}        class_ends.attribute_number,
        class_ends.value,
        located.person,
        located.person_count
    from sqlanon.{{ located }} as located
    inner join sqlanon.{{ persons }} as persons
        on persons.person = located.person
    inner join class_ends
{{ keys.join("class_ends", "located", class_key, true) }}        and class_ends.attribute_number = {{ loop.index }}
        and class_ends.value is not distinct from persons.value_{{ loop.index }}
{% endfor %}
)
