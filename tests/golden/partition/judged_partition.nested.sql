-- judged_partition: whether the classes of a partition keep the promises
-- reads:   cells, value_places, label_places
-- returns: one row
--   classes, failing_classes        all classes, and those that break a promise   [classes]
--   smallest_class, failing_rows    size of the smallest class and of all failing ones   [rows]
--   rounds    rounds of cuts, if the cuts are made here
--   covers    true if every person who must be in a class is in one
with recursive regions as (
    select
        0 as round,
        1 as region,
        0 as parent,
        0 as attribute_number,
        0 as first_place,
        2147483647 as last_place,
        place_1, place_2, place_3, place_4, population_count, row_count
    from sqlanon.cells
    union all
    (
        with place_counts as (
            -- rows of each region by place, attribute by attribute
            select
                region, 1 as attribute_number, place_1 as place,
                sum(population_count) as population_count, sum(row_count) as row_count
            from regions
            group by region, place_1
            union all select
                region, 2 as attribute_number, place_2 as place,
                sum(population_count) as population_count, sum(row_count) as row_count
            from regions
            group by region, place_2
            union all select
                region, 3 as attribute_number, place_3 as place,
                sum(population_count) as population_count, sum(row_count) as row_count
            from regions
            group by region, place_3
            union all select
                region, 4 as attribute_number, place_4 as place,
                sum(population_count) as population_count, sum(row_count) as row_count
            from regions
            group by region, place_4
        ),
        running_counts as (
            -- the number of persons of the population at each place, and up to it
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
                select region, attribute_number, place, sum(population_count) as row_count
                from place_counts
                group by region, attribute_number, place
                having sum(population_count) > 0
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
                and 2 * rows_so_far >= region_rows and 2 * rows_before < region_rows
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
                place_counts.population_count,
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
        classes as (
            select
                cut_number, side,
                cast(sum(population_count) as bigint) as population_size,
                cast(sum(row_count) as bigint) as class_size
            from sides
            group by cut_number, side
            having sum(row_count) > 0
        ),
        k_anonymity as (
            -- k_anonymity: every published row shares its quasi-identifiers with at least 6
            --   others (k = 7)
            -- source:  Sweeney 2002, k-anonymity: a model for protecting privacy
            -- reads:   classes, one row per equivalence class
            -- returns: one row per equivalence class
            --   class_size  rows in the class   [rows]
            --   satisfied   class_size >= 7; never null
            -- nulls:   a null quasi-identifier is a value of its own
            select
                classes.cut_number,
                classes.side,
                classes.class_size,
                classes.class_size >= 7 as satisfied
            from classes as classes
        ),
        chosen_cuts as (
            -- the first cut of each region for which every promise holds on every side;
            -- a side without rows needs no promise
            select *
            from cuts
            where cut_number in (
                select min(cuts.cut_number)
                from cuts
                inner join (
                    select sizes.cut_number
                    from (
                        select cut_number, side, sum(row_count) as row_count
                        from sides
                        group by cut_number, side
                    ) as sizes
                    left join k_anonymity
                        on k_anonymity.cut_number = sizes.cut_number
                        and k_anonymity.side = sizes.side
                    group by sizes.cut_number
                    having bool_and(
                        coalesce(k_anonymity.satisfied, sizes.row_count = 0)
                    ) and sum(sizes.row_count) > 0
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
                cut_cells.place_4, cut_cells.population_count,
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
            place_1, place_2, place_3, place_4, population_count, row_count
        from sided_cells
    )
),
class_cells as (
    select
        cast(
            dense_rank() over (order by regions.round, regions.region) as integer
        ) as class,
        regions.place_1, regions.place_2, regions.place_3,
        regions.place_4, regions.population_count, regions.row_count,
        regions.round,
        regions.region
    from regions as regions
    left join (
        select distinct round - 1 as round, parent as region
        from regions
    ) as cut_regions
        on cut_regions.round = regions.round
        and cut_regions.region = regions.region
    where cut_regions.region is null
),
classes as (
    select
        class,
        cast(sum(population_count) as bigint) as population_size,
        cast(sum(row_count) as bigint) as class_size
    from class_cells
    group by class
    having sum(row_count) > 0
),
delta_presence as (
    -- delta_presence: every person of the population is in the table with a chance from
    --   0.1 to 0.5
    -- source:  Nergiz, Atzori and Clifton 2007, Hiding the presence of individuals
    -- reads:   classes, one row per equivalence class, population_size included
    -- returns: one row per equivalence class
    --   presence    published rows / rows of the population in the class   [0 to 1]
    --   satisfied   0.1 <= presence <= 0.5, compared exactly; never null
    -- nulls:   a null quasi-identifier is a value of its own
    select
        classes.class,
        case
            when classes.population_size > 0
                then cast(classes.class_size as double) / classes.population_size
            else cast('infinity' as double)
        end as presence,
        classes.class_size >= 0.1 * classes.population_size
            and classes.class_size <= 0.5 * classes.population_size as satisfied
    from classes as classes
),
judged_classes as (
    select
        classes.class,
        coalesce(delta_presence.satisfied, false) as satisfied
    from classes
    left join delta_presence on delta_presence.class = classes.class
)
select
    count(*) as classes,
    min(classes.class_size) as smallest_class,
    count(*) filter (where not judged_classes.satisfied) as failing_classes,
    coalesce(
        sum(classes.class_size) filter (where not judged_classes.satisfied),
        0
    ) as failing_rows,
    (select max(round) from regions) as rounds,
    sum(classes.population_size) = (select sum(population_count) from sqlanon.cells) as covers
from classes
inner join judged_classes on judged_classes.class = classes.class
