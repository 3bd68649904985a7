-- regions: all rounds together
-- reads:   regions_of_round_0 to regions_of_round_2
-- returns: one row per cell, round, and region; a region that is not cut again is a class
select * from sqlanon.regions_of_round_0
union all
select * from sqlanon.regions_of_round_1
union all
select * from sqlanon.regions_of_round_2
