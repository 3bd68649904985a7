{#- inputs: rule dict[file str, delimiter str, header bool, columns int], selected list[tuple[int, str]] level name #}
{% if selected | length == rule.columns %}
    -- from a file: one row per value, one column per level
{% endif %}
    select {% for level, name in selected %}level_{{ level }}{{ " as " ~ name if name != "level_" ~ level }}{{ ", " if not loop.last }}{% endfor %}

    from read_csv({{ rule.file | file }}, auto_detect = false, hive_partitioning = false, delim = {{ rule.delimiter | text }}, header = {{ "true" if rule.header else "false" }}, columns = {{ "{" }}{% for level in range(rule.columns) %}'level_{{ level }}': 'varchar'{{ ", " if not loop.last }}{% endfor %}{{ "}" }})
