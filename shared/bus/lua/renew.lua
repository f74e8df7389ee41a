#!lua flags=allow-oom
-- Renews the lease on a partition, if it is still the caller's and has not ended. A lease that has ended must be taken
-- anew: only taking reports how long the partition was without an owner.
-- KEYS[1]  the partition's owner hash
-- ARGV[1]  the owner's token   ARGV[2] lease in ms
-- Returns 1, or 0 if the lease is lost.
local owner, token, lease = KEYS[1], ARGV[1], tonumber(ARGV[2])

local held = redis.call('HMGET', owner, 'token', 'until')
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if held[1] ~= token or tonumber(held[2] or '0') <= now then return 0 end
redis.call('HSET', owner, 'until', string.format('%.0f', now + lease), 'renewed', string.format('%.0f', now))
return 1
