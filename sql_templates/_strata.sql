{#- CTEs `sized_strata` and `strata`: the number of each stratum of `counted`, by its labels -#}
sized_strata as (
    -- one row per stratum: its rows, and its number among the large and among the small ones
    select
        {{ labels }},
        sum(row_count) as stratum_size,
        row_number() over (
            partition by sum(row_count) >= {{ least }}
            order by sum(row_count), {{ labels }}
        ) as place,
        sum(
            case when sum(row_count) < {{ least }} then sum(row_count) else 0 end
        ) over () as small_rows
    from {{ counted }}
    group by {{ labels }}
),
strata as (
    -- those of fewer than {{ least }} rows are stratum 0, and the smallest other one if 0 is too small
    select
        *,
        case
            when stratum_size < {{ least }} or (place = 1 and small_rows between 1 and {{ least - 1 }})
                then 0
            else place
        end as stratum
    from sized_strata
),
