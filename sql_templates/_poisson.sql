{#- the smallest class of a sample that is taken for k persons of the population: so many persons have
    Poisson(share k) in the sample, which are as many as that with a probability of at most `error` -#}
{% macro least_size(k, share, error, truncated) -%}
{%- set mean = (share | float) * k -%}
{%- set none_drawn = 2.718281828459045 ** -mean -%}
{%- set allowed = (error | float) * (1 - none_drawn if truncated else 1) -%}
{%- set found = namespace(size=0, chance=none_drawn, below=0.0) -%}
{%- for size in range(1, (k if k < 2000 else 2000) + 1) if 1 - found.below > allowed -%}
{%- set found.size = size -%}{%- set found.below = found.below + found.chance -%}
{%- set found.chance = found.chance * mean / size -%}
{%- endfor -%}
{{ k if 1 - found.below > allowed else found.size }}
{%- endmacro %}
