#!lua
-- Strikes a process off its registry: because it leaves, or because its lease ran out.
-- KEYS[1]  the registry   KEYS[2] the statuses
-- ARGV[1]  the id   ARGV[2] 1: only if its lease has run out
-- Returns 1 if it is not in the registry any more.
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
