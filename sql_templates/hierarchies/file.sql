{#- inputs: file str, delimiter str, header bool, columns int #}
    -- from a file: one row per value, one column per level
    select
{% for level in range(columns) %}
        level_{{ level }}{{ "," if not loop.last }}
{% endfor %}
    from read_csv(
        {{ file | file }},
        hive_partitioning = false,
        delim = {{ delimiter | text }},
        quote = '"',
        escape = '"',
        header = {{ "true" if header else "false" }},
        all_varchar = true,
        auto_detect = false,
        columns = {
{% for level in range(columns) %}
            'level_{{ level }}': 'varchar'{{ "," if not loop.last }}
{% endfor %}
        }
    )
