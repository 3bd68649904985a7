{#- inputs: name str, groups list[tuple[int, list[int], str]], group_count int, combinations str -#}
{% import "_comments.sql" as comments %}
{% import "_numbered.sql" as numbered %}
{{ comments.line("-- " ~ name ~ ":", "persons who may be in a bucket: it has their values in every column group") }}
-- reads:   {{ combinations }}{% for number, texts, relation in groups %}, {{ relation }}{% endfor %}

--   the column group that leaves the fewest candidates is joined first
-- returns: one row per combination and bucket; several rows if labels of different levels match
--   value_1, ...   the published value that it matches in each column group
--   person_count   persons of the population with the combination
with matched_0 as (
    select *
    from {{ combinations }}
){% for number, texts, relation in groups %},
matched_{{ loop.index }} as materialized (
    select matched.*, {{ "matches.bucket, " if loop.first }}matches.value as value_{{ number }}
    from matched_{{ loop.index0 }} as matched
    inner join {{ relation }} as matches
        on {% if not loop.first %}matches.bucket = matched.bucket
        and {% endif %}{% for place in texts %}matches.text_{{ place }} is not distinct from matched.text_{{ place }}{% if not loop.last %}

        and {% endif %}{% endfor %}

){% endfor %}

select combination, bucket, {{ numbered.list("value", group_count) }}, person_count
from matched_{{ groups | length }}
