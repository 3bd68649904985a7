-- membership_9_united_buckets: merged buckets about which an attacker may know more than is
--   counted here
-- reads:   sqlanon.membership_9_marginals
-- returns: one row per such bucket: one with different values that were merged, because somebody
--   fits both, or with values of several buckets
select bucket
from sqlanon.membership_9_marginals
group by bucket
having max(code_count) > 1 or max(bucket_count) > 1
order by bucket
