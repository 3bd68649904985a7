-- membership_9_united_buckets: merged buckets about which an attacker may know more than is
--   counted here
-- reads:   sqlanon.membership_9_marginals
-- returns: one row per such bucket
select bucket
from sqlanon.membership_9_marginals
group by bucket
having max(bucket_count) > 1
order by bucket
