#!lua flags=allow-oom
-- Removes a process from its registry: because it stops, or because its lease has ended.
-- KEYS[1]  the registry   KEYS[2] the statuses
-- ARGV[1]  the id   ARGV[2] 1: only if its lease has ended
-- Returns 1 if it is not in the registry any more. The lease is checked here and not by the caller: the process may have
-- renewed it a moment ago.
local registry, statuses, id, expired = KEYS[1], KEYS[2], ARGV[1], ARGV[2]

local score = redis.call('ZSCORE', registry, id)
if not score then return 1 end
if expired == '1' then
  local time = redis.call('TIME')
  if tonumber(score) > time[1] * 1000 + math.floor(time[2] / 1000) then return 0 end
end
redis.call('ZREM', registry, id)
redis.call('HDEL', statuses, id)
return 1
