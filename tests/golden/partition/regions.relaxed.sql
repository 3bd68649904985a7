-- regions: the table, cut repeatedly until no cut keeps every promise on every side
--   promise: every published row shares its quasi-identifiers with at least 4 others (k = 5)
--   promise: every class holds at least 3 different values of diagnosis
-- source:  LeFevre, DeWitt and Ramakrishnan 2006, Mondrian multidimensional k-anonymity
-- reads:   cells, places, label_places
-- returns: one row per cell, round, and region; a region that is not cut again is a class
--   region       number of the region within its round; parent: number of the region that was cut
--   attribute_number, first_place, last_place   the cut: its attribute, and the places on this side
--     attributes: 1 the "age", 2 born, 3 tôwn, 4 select
with recursive regions as (
    -- round 0: one row per cell, all of them in one region
    select
        0 as round,
        1 as region,
        0 as parent,
        0 as attribute_number,
        0 as first_place,
        2147483647 as last_place,
        place_of_the_age, place_of_born, place_of_town, place_of_select, deal,
        value_of_diagnosis, row_count
    from sqlanon.cells
    union all
    (
        -- the next round: one row per cell of a region that is cut once more
        with place_counts as (
            -- one row per region, attribute, place, value: its rows
            select
                region, 1 as attribute_number, place_of_the_age as place,
                value_of_diagnosis, sum(row_count) as row_count
            from regions
            group by region, place_of_the_age, value_of_diagnosis
            union all
            select
                region, 2 as attribute_number, place_of_born as place,
                value_of_diagnosis, sum(row_count) as row_count
            from regions
            group by region, place_of_born, value_of_diagnosis
            union all
            select
                region, 3 as attribute_number, place_of_town as place,
                value_of_diagnosis, sum(row_count) as row_count
            from regions
            group by region, place_of_town, value_of_diagnosis
            union all
            select
                region, 4 as attribute_number, place_of_select as place,
                value_of_diagnosis, sum(row_count) as row_count
            from regions
            group by region, place_of_select, value_of_diagnosis
        ),
        running_counts as (
            -- one row per region, attribute and place: rows up to it, and before it
            select
                region,
                attribute_number,
                place,
                sum(row_count) over places as rows_so_far,
                sum(row_count) over places - row_count as rows_before,
                sum(row_count) over region_places as region_rows,
                min(place) over region_places as first_place,
                max(place) over region_places as last_place
            from (
                select region, attribute_number, place, sum(row_count) as row_count
                from place_counts
                group by region, attribute_number, place
                having sum(row_count) > 0
            ) as counts
            window
                region_places as (partition by region, attribute_number),
                places as (partition by region, attribute_number order by place)
        ),
        possible_cuts as (
            -- one row per region and cut in two, after cut_place; width: share of the scale that
            -- the region has, times the weight of the attribute; turn: the order of trying
            select
                running_counts.region,
                running_counts.attribute_number,
                running_counts.place as cut_place,
                cast(null as integer) as level,
                lowest.weight * coalesce(
                    (highest.position - lowest.position) / nullif(lowest.position_range, 0), 0
                ) as width,
                quantiles.turn,
                (quantiles.quarters * running_counts.region_rows + 3) // 4
                    - running_counts.rows_before as dealt_rows
            from running_counts
            inner join sqlanon.places as lowest
                on lowest.attribute_number = running_counts.attribute_number
                and lowest.place = running_counts.first_place
            inner join sqlanon.places as highest
                on highest.attribute_number = running_counts.attribute_number
                and highest.place = running_counts.last_place
            inner join (
                values
                    (1, 2),
                    (2, 1),
                    (3, 3)
            ) as quantiles (turn, quarters)
                on 4 * running_counts.rows_so_far
                    >= quantiles.quarters * running_counts.region_rows
                and 4 * running_counts.rows_before
                    < quantiles.quarters * running_counts.region_rows
                and (quantiles.quarters * running_counts.region_rows + 3) // 4
                    < running_counts.region_rows
            where first_place < last_place
                and running_counts.attribute_number not in (3)
            union all
            -- one row per region and cut into all labels of the level below the lowest common
            -- ancestor; width: the share that the ancestor covers
            select
                running_counts.region,
                running_counts.attribute_number,
                cast(null as integer) as cut_place,
                min(ancestors.level) - 1 as level,
                min(ancestors.width) as width,
                0 as turn,
                cast(null as bigint) as dealt_rows
            from running_counts
            inner join sqlanon.label_places as ancestors
                on ancestors.attribute_number = running_counts.attribute_number
                and ancestors.place = running_counts.first_place
                and ancestors.last_place >= running_counts.last_place
            where running_counts.place = running_counts.first_place
                and running_counts.first_place < running_counts.last_place
            group by running_counts.region, running_counts.attribute_number
        ),
        cuts as (
            -- the same rows, numbered in the order of trying: the widest attribute first
            select
                *,
                row_number() over (
                    order by region, width desc, attribute_number, turn, cut_place
                ) as cut_number
            from possible_cuts
        ),
        dealt_cells as (
            -- one row per cut and cell at the place of the cut itself: how many of its rows go left
            select
                cuts.cut_number,
                cells.value_of_diagnosis,
                cells.row_count,
                greatest(
                    0,
                    least(
                        cells.row_count,
                        cuts.dealt_rows + cells.row_count
                            - sum(cells.row_count) over (
                                partition by cuts.cut_number order by cells.deal
                            )
                    )
                ) as left_rows
            from cuts
            inner join regions as cells
                on cells.region = cuts.region
                and cuts.cut_place = case cuts.attribute_number
                    when 1 then cells.place_of_the_age
                    when 2 then cells.place_of_born
                    when 4 then cells.place_of_select
                end
        ),
        sides as (
            -- the contents of each side of each cut, as rows of place_counts
            select
                cuts.cut_number,
                coalesce(
                    labels.first_place,
                    case when place_counts.place <= cuts.cut_place then 0 else 1 end
                ) as side,
                place_counts.value_of_diagnosis,
                place_counts.row_count
            from cuts
            inner join place_counts
                on place_counts.region = cuts.region
                and place_counts.attribute_number = cuts.attribute_number
            left join sqlanon.label_places as labels
                on labels.attribute_number = cuts.attribute_number
                and labels.place = place_counts.place
                and labels.level = cuts.level
            where place_counts.place is distinct from cuts.cut_place
            union all
            select
                cut_number,
                0,
                value_of_diagnosis,
                left_rows
            from dealt_cells
            where left_rows > 0
            union all
            select
                cut_number,
                1,
                value_of_diagnosis,
                row_count - left_rows
            from dealt_cells
            where left_rows < row_count
        ),
        class_values_of_diagnosis as (
            -- rows of each side of a cut with each value of diagnosis
            select
                cut_number, side, value_of_diagnosis as value,
                cast(sum(row_count) as bigint) as value_count
            from sides
            group by cut_number, side, value_of_diagnosis
        ),
        classes as (
            -- rows of each side of a cut
            select cut_number, side, cast(sum(value_count) as bigint) as class_size
            from class_values_of_diagnosis
            group by cut_number, side
        ),
        k_anonymity as (
            -- one row per side of a cut: whether it holds k-anonymity
            select cut_number, side, class_size, class_size >= 5 as satisfied
            from classes
        ),
        l_diversity as (
            -- one row per side of a cut: whether it holds l-diversity
            select cut_number, side, count(*) as diversity, count(*) >= 3 as satisfied
            from class_values_of_diagnosis as class_values
            group by cut_number, side
        ),
        allowable_cuts as (
            -- one row per cut that holds every promise on every side
            select classes.cut_number
            from classes
            left join k_anonymity
                on k_anonymity.cut_number = classes.cut_number
                and k_anonymity.side = classes.side
            left join l_diversity
                on l_diversity.cut_number = classes.cut_number
                and l_diversity.side = classes.side
            group by classes.cut_number
            having bool_and(
                coalesce(k_anonymity.satisfied, false)
                and coalesce(l_diversity.satisfied, false)
            )
        ),
        chosen_cuts as (
            -- one row per region that is cut: its first allowable cut
            select *
            from cuts
            where cut_number in (
                select min(cuts.cut_number)
                from cuts
                inner join allowable_cuts on allowable_cuts.cut_number = cuts.cut_number
                group by cuts.region
            )
        ),
        cut_cells as (
            -- one row per cell of a region that is cut: the cut, and the place that decides
            -- on which side the cell is
            select
                cells.*,
                chosen_cuts.attribute_number as cut_attribute,
                chosen_cuts.level,
                chosen_cuts.cut_place,
                chosen_cuts.dealt_rows,
                case chosen_cuts.attribute_number
                    when 1 then cells.place_of_the_age
                    when 2 then cells.place_of_born
                    when 3 then cells.place_of_town
                    when 4 then cells.place_of_select
                end as place
            from regions as cells
            inner join chosen_cuts on chosen_cuts.region = cells.region
        ),
        halved_cells as (
            -- the same rows: how many of the cell's rows go to the left side
            select
                *,
                case
                    when place < cut_place then row_count
                    when place > cut_place then 0
                    else greatest(
                        0,
                        least(
                            row_count,
                            dealt_rows + row_count
                                - sum(row_count) over (partition by region, place order by deal)
                        )
                    )
                end as left_rows
            from cut_cells
        ),
        sided_cells as (
            -- one row per cell and side: the cell in its new region, given by parent and places
            select
                cut_cells.round + 1 as round,
                cut_cells.region as parent,
                cut_cells.cut_attribute as attribute_number,
                coalesce(
                    children.first_place,
                    case
                        when halves.side = 0 then 0
                        else cut_cells.cut_place
                    end
                ) as first_place,
                coalesce(
                    children.last_place,
                    case
                        when halves.side = 0 then cut_cells.cut_place
                        else 2147483647
                    end
                ) as last_place,
                cut_cells.place_of_the_age, cut_cells.place_of_born,
                cut_cells.place_of_town, cut_cells.place_of_select, cut_cells.deal,
                cut_cells.value_of_diagnosis, cast(
                    case
                        when cut_cells.cut_place is null then cut_cells.row_count
                        when halves.side = 0 then cut_cells.left_rows
                        else cut_cells.row_count - cut_cells.left_rows
                    end as bigint
                ) as row_count
            from halved_cells as cut_cells
            inner join (values (0), (1)) as halves (side)
                on halves.side = 0 and (cut_cells.cut_place is null or cut_cells.left_rows > 0)
                or halves.side = 1
                    and cut_cells.cut_place is not null
                    and cut_cells.left_rows < cut_cells.row_count
            left join sqlanon.label_places as children
                on children.attribute_number = cut_cells.cut_attribute
                and children.place = cut_cells.place
                and children.level = cut_cells.level
        )
        select
            round,
            cast(dense_rank() over (order by parent, first_place, last_place) as integer) as region,
            parent,
            attribute_number,
            cast(first_place as integer) as first_place,
            cast(last_place as integer) as last_place,
            place_of_the_age, place_of_born, place_of_town, place_of_select, deal,
            value_of_diagnosis, row_count
        from sided_cells
    )
)
select *
from regions
