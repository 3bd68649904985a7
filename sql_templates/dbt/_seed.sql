{#- inputs: rule dict: relation str; selected list[tuple[int, str]] level name #}
    select {% for level, name in selected %}{{ name }}{{ ", " if not loop.last }}{% endfor %}

    from {{ rule.relation | ident }}
