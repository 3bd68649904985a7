{#- inputs: -#}
-- source_values: without any value, to check hierarchies while no row of the source is read
-- reads:   nothing
-- returns: no row
select
    cast(null as varchar) as attribute,
    cast(null as varchar) as value,
    cast(null as bigint) as row_count
where false
