-- regions: the table, cut repeatedly until no cut keeps every promise on every side
--   promise: every published row shares its quasi-identifiers with at least 4 others (k = 5)
--   promise: every class holds at least 2 different values of diagnosis
-- source:  LeFevre, DeWitt and Ramakrishnan 2006, Mondrian multidimensional k-anonymity
-- reads:   cells, value_places, label_places
-- returns: one row per cell, round, and region; a region that is not cut again is a class
--   region       number of the region within its round; parent: number of the region that was cut
--   attribute_number, first_place, last_place   the cut: its attribute, and the places on this side
with recursive regions as (
    select
        0 as round,
        1 as region,
        0 as parent,
        0 as attribute_number,
        0 as first_place,
        2147483647 as last_place,
        place_1, place_2, place_3, place_4, value_1, person, row_count
    from sqlanon.cells
    union all
    (
        with place_counts as (
            -- rows of each region by place and values, attribute by attribute
            select
                region, 1 as attribute_number, place_1 as place, value_1, person,
                sum(row_count) as row_count
            from regions
            group by region, place_1, value_1, person
            union all select
                region, 2 as attribute_number, place_2 as place, value_1, person,
                sum(row_count) as row_count
            from regions
            group by region, place_2, value_1, person
            union all select
                region, 3 as attribute_number, place_3 as place, value_1, person,
                sum(row_count) as row_count
            from regions
            group by region, place_3, value_1, person
            union all select
                region, 4 as attribute_number, place_4 as place, value_1, person,
                sum(row_count) as row_count
            from regions
            group by region, place_4, value_1, person
        ),
        running_counts as (
            -- the number of rows at each place, and up to it
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
            -- cuts in two, after a place; width: share of the scale times the weight
            select
                running_counts.region,
                running_counts.attribute_number,
                running_counts.place as cut_place,
                cast(null as integer) as level,
                lowest.weight * coalesce(
                    (highest.position - lowest.position) / nullif(lowest.position_range, 0), 0
                ) as width,
                abs(2 * running_counts.rows_so_far - running_counts.region_rows) as turn
            from running_counts
            inner join sqlanon.value_places as lowest
                on lowest.attribute_number = running_counts.attribute_number
                and lowest.place = running_counts.first_place
            inner join sqlanon.value_places as highest
                on highest.attribute_number = running_counts.attribute_number
                and highest.place = running_counts.last_place
            where running_counts.place < last_place
                and running_counts.attribute_number not in (3)
            union all
            -- cuts into all labels of the level below the lowest common ancestor; width: the share
            -- that the ancestor covers
            select
                running_counts.region,
                running_counts.attribute_number,
                cast(null as integer) as cut_place,
                min(ancestors.level) - 1 as level,
                min(ancestors.width) as width,
                0 as turn
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
            -- numbered in the order of use: the widest attribute first, then in plan order
            select
                *,
                row_number() over (
                    order by region, width desc, attribute_number, turn, cut_place
                ) as cut_number
            from possible_cuts
        ),
        sides as (
            -- the contents of each side of each cut
            select
                cuts.cut_number,
                coalesce(
                    labels.first_place,
                    case when place_counts.place <= cuts.cut_place then 0 else 1 end
                ) as side,
                place_counts.value_1,
                place_counts.person,
                place_counts.row_count
            from cuts
            inner join place_counts
                on place_counts.region = cuts.region
                and place_counts.attribute_number = cuts.attribute_number
            left join sqlanon.label_places as labels
                on labels.attribute_number = cuts.attribute_number
                and labels.place = place_counts.place
                and labels.level = cuts.level
        ),
        joint_values_1 as (
            -- the same in classes that are further divided by the other sensitive values
            select
                cut_number, side,
                value_1 as value,
                count(distinct person) as value_count
            from sides
            group by cut_number, side, value_1
        ),
        joint_value_classes_1 as (
            select cut_number, side, cast(sum(value_count) as bigint) as class_size
            from joint_values_1
            group by cut_number, side
        ),
        classes as (
            select
                cut_number, side,
                count(distinct person) as class_size
            from sides
            group by cut_number, side
        ),
        k_anonymity as (
            -- k_anonymity: every published row shares its quasi-identifiers with at least 4
            --   others (k = 5)
            -- source:  Sweeney 2002, k-anonymity: a model for protecting privacy
            -- reads:   classes, one row per equivalence class
            -- returns: one row per equivalence class
            --   class_size  rows in the class   [rows]
            --   satisfied   class_size >= 5; never null
            -- nulls:   a null quasi-identifier is a value of its own
            select
                classes.cut_number,
                classes.side,
                classes.class_size,
                classes.class_size >= 5 as satisfied
            from classes as classes
        ),
        l_diversity as (
            -- the promise holds for a class if it holds for each of its parts, whose rows share
            -- the other sensitive values, too
            select
                parts.cut_number,
                parts.side,
                min(parts.diversity) as diversity,
                bool_and(parts.satisfied) as satisfied
            from (
                -- l_diversity_distinct: every class holds at least 2 different values of diagnosis
                -- source:  Machanavajjhala et al. 2007, l-diversity, ACM TKDD 1(1)
                -- reads:   joint_values_1, how often each value of diagnosis occurs in each class
                -- returns: one row per equivalence class
                --   diversity   different values   [values]
                --   satisfied   diversity >= 2; never null
                -- nulls:   a missing value is a value of its own
                select
                    class_values.cut_number,
                    class_values.side,
                    count(*) as diversity,
                    count(*) >= 2 as satisfied
                from joint_values_1 as class_values
                group by class_values.cut_number, class_values.side
            ) as parts
            group by parts.cut_number, parts.side
        ),
        chosen_cuts as (
            -- the first cut of each region for which every promise holds on every side
            select *
            from cuts
            where cut_number in (
                select min(cuts.cut_number)
                from cuts
                inner join (
                    select sizes.cut_number
                    from classes as sizes
                    left join k_anonymity
                        on k_anonymity.cut_number = sizes.cut_number
                        and k_anonymity.side = sizes.side
                    left join l_diversity
                        on l_diversity.cut_number = sizes.cut_number
                        and l_diversity.side = sizes.side
                    group by sizes.cut_number
                    having bool_and(
                        coalesce(k_anonymity.satisfied, false)
                        and coalesce(l_diversity.satisfied, false)
                    )
                ) as allowable_cuts
                    on allowable_cuts.cut_number = cuts.cut_number
                group by cuts.region
            )
        ),
        cut_cells as (
            -- the cells of regions that are cut, with the place that decides their side
            select
                cells.*,
                chosen_cuts.attribute_number as cut_attribute,
                chosen_cuts.level,
                chosen_cuts.cut_place,
                case chosen_cuts.attribute_number
                    when 1 then cells.place_1
                    when 2 then cells.place_2
                    when 3 then cells.place_3
                    when 4 then cells.place_4
                end as place
            from regions as cells
            inner join chosen_cuts on chosen_cuts.region = cells.region
        ),
        sided_cells as (
            select
                cut_cells.round + 1 as round,
                cut_cells.region as parent,
                cut_cells.cut_attribute as attribute_number,
                coalesce(
                    children.first_place,
                    case
                        when cut_cells.place <= cut_cells.cut_place then 0
                        else cut_cells.cut_place + 1
                    end
                ) as first_place,
                coalesce(
                    children.last_place,
                    case
                        when cut_cells.place <= cut_cells.cut_place then cut_cells.cut_place
                        else 2147483647
                    end
                ) as last_place,
                cut_cells.place_1, cut_cells.place_2, cut_cells.place_3,
                cut_cells.place_4, cut_cells.value_1, cut_cells.person,
                cut_cells.row_count
            from cut_cells
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
            place_1, place_2, place_3, place_4, value_1, person, row_count
        from sided_cells
    )
)
select *
from regions
