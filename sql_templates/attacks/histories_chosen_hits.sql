{#- inputs: title str, hits str, number int, choice str, most int -#}
{% set letters = ["a", "b", "c"][:number] %}
-- {{ title }}: pseudonyms with {{ number }} {{ "row" if number == 1 else "different rows" }} for {{ number }} known ones
-- reads:   {{ hits }}
-- returns: one row per person with {{ number }} such rows
--   remaining     pseudonyms, for {{ "the worst choice of rows" if choice == "worst" else "the first rows" }}
with counted as (
    select a.person{% for letter in letters %}, {{ letter }}.known_number as known_{{ loop.index }}{% endfor %}, count(distinct a.pseudonym) as remaining
    from sqlanon.{{ hits }} as a
{% for letter in letters[1:] %}
{% set before = letters[loop.index0] %}
    inner join sqlanon.{{ hits }} as {{ letter }}
        on {{ letter }}.person = a.person
        and {{ letter }}.pseudonym = a.pseudonym
        and {{ letter }}.known_number > {{ before }}.known_number
{% for other in letters[:loop.index] %}
        {{ "and " ~ letter ~ ".slots >" if loop.first else "    +" }} case when {{ letter }}.class = {{ other }}.class then 1 else 0 end
{% endfor %}
{% endfor %}
{% if choice == "first" %}
    where {{ letters[-1] }}.known_number = {{ number }}
{% else %}
    where a.row_count <= {{ most }}
{% endif %}
    group by a.person{% for letter in letters %}, {{ letter }}.known_number{% endfor %}

)
select person, min(remaining) as remaining
from counted
group by person
