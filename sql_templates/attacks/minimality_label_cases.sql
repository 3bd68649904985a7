{#- inputs: title str, classes str, class_key list[str], quasi_identifiers list[tuple[str, str]], persons str, labels str, located str -#}
{% import "_keys.sql" as keys %}
-- {{ title }}: what is counted in each class: its persons by the ends of tight labels that they meet
-- reads:   {{ classes }}, {{ persons }}, {{ labels }}, {{ located }}, label_places
-- returns: one row per class
--   class_size    rows, or persons, of the class
--   profile       persons by the ends that they meet, such as e1+c2.1x4: four persons meet end 1
--                 and are below child 1 of label 2; empty if nobody is in the class
--   missing_ends  ends that nobody of the population meets
--   case_number   equal for classes of the same size, profile and missing ends
-- nulls:   a null quasi-identifier is a value of its own
with {% include "attacks/_label_ends.sql" %},
numbered_ends as (
    select
        class_ends.*,
        row_number() over (
            partition by {{ keys.list("class_ends", class_key) }}
            order by class_ends.attribute_number, class_ends.value nulls first
        ) as end_number
    from class_ends
),
person_tokens as (
    select
{{ keys.select("candidates", class_key, true) }}        candidates.person,
        'e' || numbered_ends.end_number as token
    from candidates
    inner join numbered_ends
{{ keys.join("numbered_ends", "candidates", class_key, true) }}        and numbered_ends.attribute_number = candidates.attribute_number
        and numbered_ends.value is not distinct from candidates.value
{% for name, alias in quasi_identifiers %}
    union all
    select
{{ keys.select("located", class_key, true) }}        located.person,
        'c{{ loop.index }}.' || dense_rank() over (
            partition by {{ keys.list("located", class_key) }} order by label_children.child
        )
    from sqlanon.{{ located }} as located
    inner join sqlanon.{{ persons }} as persons
        on persons.person = located.person
    inner join label_children
        on label_children.attribute_number = {{ loop.index }}
        and label_children.label is not distinct from cast(located.{{ alias | ident }} as varchar)
        and label_children.value is not distinct from persons.value_{{ loop.index }}
{% endfor %}
),
person_cells as (
    select
{{ keys.select("located", class_key, true) }}        located.person,
        located.person_count,
        coalesce(string_agg(person_tokens.token, '+' order by person_tokens.token), '') as tokens
    from sqlanon.{{ located }} as located
    left join person_tokens
{{ keys.join("person_tokens", "located", class_key, true) }}        and person_tokens.person = located.person
    group by {{ keys.list("located", class_key, last=["located.person", "located.person_count"]) }}
),
cells as (
    select
{{ keys.select("person_cells", class_key, true) }}        person_cells.tokens,
        cast(sum(person_cells.person_count) as bigint) as person_count
    from person_cells
    group by {{ keys.list("person_cells", class_key, last=["person_cells.tokens"]) }}
),
class_profiles as (
    select
{{ keys.select("cells", class_key, true) }}        string_agg(cells.tokens || 'x' || cells.person_count, ',' order by cells.tokens) as profile
    from cells
    group by {{ keys.list("cells", class_key) }}
),
empty_ends as (
    select
{{ keys.select("class_ends", class_key, true) }}        count(*) as missing_ends
    from class_ends
    left join candidates
{{ keys.join("candidates", "class_ends", class_key, true) }}        and candidates.attribute_number = class_ends.attribute_number
        and candidates.value is not distinct from class_ends.value
    where candidates.person is null
    group by {{ keys.list("class_ends", class_key) }}
),
profiled_classes as (
    select
{{ keys.select("classes", class_key, true) }}        classes.class_size,
        coalesce(class_profiles.profile, '') as profile,
        coalesce(empty_ends.missing_ends, 0) as missing_ends
    from {{ keys.named(classes, "classes") }}
    left join class_profiles
{{ keys.join("class_profiles", "classes", class_key, true) }}    left join empty_ends
{{ keys.join("empty_ends", "classes", class_key, true) }})
select
    profiled_classes.*,
    dense_rank() over (order by class_size, profile, missing_ends) as case_number
from profiled_classes
