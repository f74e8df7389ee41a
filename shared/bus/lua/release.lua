#!lua flags=allow-oom
-- Gives a partition up, so that the next owner need not wait for the end of the lease.
-- KEYS[1]  the partition's owner hash
-- ARGV[1]  the owner's token
-- Returns 1, or 0 if it was not the caller's any more.
local owner, token = KEYS[1], ARGV[1]

if redis.call('HGET', owner, 'token') ~= token then return 0 end
local time = redis.call('TIME')
redis.call('HSET', owner, 'renewed', string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000)))
redis.call('HDEL', owner, 'worker', 'token', 'until')
return 1
