#!lua flags=allow-oom
-- Takes a partition that has no lease, whose lease has ended, or that is the caller's own, under a new epoch. The time at
-- which the last owner was alive stays stored until the lease is first renewed: if the caller dies before that, the next
-- owner still learns how long the partition was without an owner.
-- KEYS[1]  the partition's owner hash
-- ARGV[1]  the worker   ARGV[2] lease in ms   ARGV[3] a random number below 2^20   ARGV[4] a nonce
-- Returns {epoch, token, cursor, when the last owner was last alive (ms, 0: never), now (ms), number of the last
-- commit}, or nothing.
local owner, worker, lease, random, nonce = KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local held = redis.call('HMGET', owner, 'worker', 'until', 'counter', 'cursor', 'renewed', 'commit')
if held[1] and held[1] ~= worker and tonumber(held[2] or '0') > now then return false end

local counter = tonumber(held[3] or '0') + 1
local epoch = string.format('%.0f', counter * 1048576 + random)
local token = worker .. ':' .. epoch .. ':' .. nonce
redis.call('HSET', owner, 'worker', worker, 'token', token, 'epoch', epoch, 'counter', counter,
  'until', string.format('%.0f', now + lease))
redis.call('HSETNX', owner, 'renewed', string.format('%.0f', now))
return {epoch, token, held[4] or '0-0', held[5] or '0', string.format('%.0f', now), held[6] or '0'}
