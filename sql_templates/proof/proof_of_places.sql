{#- inputs: quasi_identifiers list[str] -#}
{% import "proof/_labels.sql" as labels %}
-- proof_of_places: every published label is a label of the population's values at a single level;
--   otherwise the class of a person of the population could not be determined
-- reads:   published_rows, population_labels
-- returns: one row per attribute with labels of no level or of several levels
with {{ labels.published(quasi_identifiers) }}
select published_labels.attribute, count(*) as label_count
from published_labels
where not exists (
    select 1
    from sqlanon.population_labels
    where population_labels.attribute = published_labels.attribute
        and population_labels.label is not distinct from published_labels.label
)
group by published_labels.attribute
