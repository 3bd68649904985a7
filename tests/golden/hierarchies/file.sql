-- from a file: one row per value, one column per level
    select level_0, level_1, level_2
    from read_csv('age.csv', auto_detect = false, hive_partitioning = false, delim = ',',
        header = false,
        columns = {'level_0': 'varchar', 'level_1': 'varchar', 'level_2': 'varchar'})
