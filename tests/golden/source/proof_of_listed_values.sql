-- proof_of_listed_values: values that a promise lists but that do not occur in the source
-- reads:   counted_values
-- returns: one row per attribute with such values; no row if there is none
--   affected   affected values   [values]
with listed_values (attribute, text) as (
    values
        ('diagnosis', 'it''s')
)
select listed_values.attribute, count(*) as affected
from listed_values
left join sqlanon.counted_values
    on counted_values.attribute = listed_values.attribute
    and counted_values.text = listed_values.text
where counted_values.attribute is null
group by listed_values.attribute
