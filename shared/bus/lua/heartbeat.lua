#!lua flags=allow-oom
-- Renews a process's entry in its registry.
-- KEYS[1]  the registry (sorted set: id, lease end)   KEYS[2] the statuses (hash)
-- ARGV[1]  the id   ARGV[2] lease in ms   ARGV[3] status   ARGV[4] 1 to register, 0 to renew
-- Returns {now (ms), id, lease end, id, lease end, ...} of all members, or {now} alone if the caller was unregistered
-- meanwhile: other processes have taken over from it, so that it must not simply reappear.
local registry, statuses, id, lease, status, first = KEYS[1], KEYS[2], ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if first ~= '1' and not redis.call('ZSCORE', registry, id) then return {string.format('%.0f', now)} end
redis.call('ZADD', registry, string.format('%.0f', now + lease), id)
redis.call('HSET', statuses, id, status)
local members = redis.call('ZRANGE', registry, 0, -1, 'WITHSCORES')
table.insert(members, 1, string.format('%.0f', now))
return members
