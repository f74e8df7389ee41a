#!lua flags=allow-oom
-- A session's connection has gone: its name is kept while rooms keep it, else for a time.
-- KEYS[1]  the name's hash
-- ARGV[1]  session   ARGV[2] gateway   ARGV[3] connection   ARGV[4] how long the name is kept, ms; 0: not at all
-- Returns 1 if the claim was the caller's.
local key, session, gateway, connection, keep = KEYS[1], ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local rooms_live = 60 * 24 * 3600 * 1000  -- twice the longest turn

local held = redis.call('HMGET', key, 'session', 'gateway', 'connection')
if held[1] ~= session or held[2] ~= gateway or held[3] ~= connection then return 0 end
redis.call('HSET', key, 'gateway', '')
if redis.call('HLEN', key) - redis.call('HEXISTS', key, 'token') > 3 then  -- a field for each room besides
  redis.call('PEXPIRE', key, rooms_live)
  return 1
end
if keep > 0 then redis.call('PEXPIRE', key, keep) else redis.call('DEL', key) end
return 1
