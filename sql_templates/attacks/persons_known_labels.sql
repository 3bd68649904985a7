{#- inputs: name str -#}
-- {{ name }}: which tables define the published labels
-- reads:   the catalog
-- returns: one row per existing table of hierarchy_levels, label_places, and value_places
select table_name
from information_schema.tables
where table_catalog = 'sqlanon'
    and table_name in ('hierarchy_levels', 'label_places', 'value_places')
order by table_name
