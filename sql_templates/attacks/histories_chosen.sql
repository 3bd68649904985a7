{#- inputs: title str, placed str, published str, number int, choice str, most int -#}
{% set letters = ["a", "b", "c"][:number] %}
{% set rows = "row" if number == 1 else "different rows" %}
-- {{ title }}: pseudonyms with {{ number }} {{ rows }} in the classes of known ones; labels of classes do not overlap, so a row fits one class, and all rows of a pseudonym agree in what never changes
-- reads:   {{ placed }}, {{ published }}
-- returns: one row per person with {{ number }} such rows
--   remaining     pseudonyms, for {{ "the worst choice of rows" if choice == "worst" else "the first rows" }}
with known_parts as (
    select person as holder, class, count(*) as slots
    from sqlanon.{{ placed }}
    where {{ "row_count <= " ~ most if choice == "worst" else "known_number <= " ~ number }}
    group by person, class
),
published_parts as (
    select pseudonym as holder, class, slots
    from sqlanon.{{ published }}
    qualify sum(slots) over (partition by pseudonym) <= {{ most }}
),
{% for parts in ["known", "published"] %}
{{ parts }}_sets as (
    select a.holder{% for letter in letters %}, {{ letter }}.class as class_{{ loop.index }}{% endfor %}

    from {{ parts }}_parts as a
{% for letter in letters[1:] %}
{% set before = letters[loop.index0] %}
    inner join {{ parts }}_parts as {{ letter }}
        on {{ letter }}.holder = a.holder
        and (
            {{ letter }}.class > {{ before }}.class
            or ({{ letter }}.class = {{ before }}.class and {{ letter }}.slots >= {{ "2" if letter == "b" else "case when a.class = b.class then 3 else 2 end" }})
        )
{% endfor %}
),
{% endfor %}
counted as (
    select {% for letter in letters %}class_{{ loop.index }}, {% endfor %}count(*) as pseudonyms
    from published_sets
    group by {% for letter in letters %}class_{{ loop.index }}{{ ", " if not loop.last }}{% endfor %}

)
select known_sets.holder as person, min(counted.pseudonyms) as remaining
from known_sets
inner join counted
{% for letter in letters %}
    {{ "on" if loop.first else "and" }} counted.class_{{ loop.index }} = known_sets.class_{{ loop.index }}
{% endfor %}
group by known_sets.holder
