#!lua
-- Claims a name for a session, if it is free, the session's own, or still held as the caller last saw it.
-- KEYS[1]  the name's hash: session, gateway, connection, token (if the session has one), and a field for each room
--          where it has a seat
-- ARGV[1]  session   ARGV[2] gateway   ARGV[3] connection   ARGV[4] the session it may be taken from, or empty
-- ARGV[5]  1 if its rooms pass to the new holder, else 0   ARGV[6] 1 if the session has a token, else 0
-- Returns {1, gateway and connection before} or {0, session, gateway, 1 or empty for its token, rooms ...}.
local key, session, gateway, connection, from = KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local with_rooms, token = ARGV[5] == '1', ARGV[6] == '1'
local lives = 60 * 24 * 3600 * 1000  -- twice the longest turn; a killed gateway cannot release its names

local held = redis.call('HMGET', key, 'session', 'gateway', 'connection', 'token')
if held[1] and held[1] ~= session and held[1] ~= from then
  local answer = {0, held[1], held[2] or '', held[4] or ''}
  for _, field in ipairs(redis.call('HKEYS', key)) do
    if string.sub(field, 1, 2) == 'r:' then table.insert(answer, string.sub(field, 3)) end
  end
  return answer
end
if held[1] and held[1] ~= session and not with_rooms then redis.call('DEL', key) end
redis.call('HSET', key, 'session', session, 'gateway', gateway, 'connection', connection)
if token then redis.call('HSET', key, 'token', 1) else redis.call('HDEL', key, 'token') end
redis.call('PEXPIRE', key, lives)
return {1, held[2] or '', held[3] or ''}
