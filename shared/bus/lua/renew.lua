#!lua
-- Renews the lease on a partition, if it is still the caller's.
-- KEYS[1]  the partition's owner hash
-- ARGV[1]  the owner's token   ARGV[2] lease in ms
-- Returns 1, or 0 if somebody else has the partition.
local owner, token, lease = KEYS[1], ARGV[1], tonumber(ARGV[2])

if redis.call('HGET', owner, 'token') ~= token then return 0 end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', owner, 'until', string.format('%.0f', now + lease), 'renewed', string.format('%.0f', now))
return 1
