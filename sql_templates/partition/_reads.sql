{#- what every measure of a partition reads, as a line of its header -#}
-- reads:   decided_classes, class_regions, places{{ ", label_places" if trees | reject("in", sets) | list }}
