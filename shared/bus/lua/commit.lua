#!lua
-- Commits one batch of a partition: everything, or nothing because somebody else owns the partition now.
-- KEYS[1]  the partition's owner hash; KEYS[2..] every other key that the writes touch
-- ARGV[1]  the owner's token   ARGV[2] stream offset before the batch   ARGV[3] stream offset after it
-- ARGV[4..] the writes, each as its number of words and then the words
-- Returns OK; DONE if this very batch is there already; FENCED if the token or the offset is not the stored one.
local owner, token, before, after = KEYS[1], ARGV[1], ARGV[2], ARGV[3]

local held = redis.call('HMGET', owner, 'token', 'cursor')
if held[1] ~= token then return 'FENCED' end
local cursor = held[2] or '0-0'
if cursor ~= before then
  if cursor == after then return 'DONE' end
  return 'FENCED'
end

if after ~= before then redis.call('HSET', owner, 'cursor', after) end
local at = 4
while at <= #ARGV do
  local words = tonumber(ARGV[at])
  redis.call(unpack(ARGV, at + 1, at + words))
  at = at + words + 1
end
return 'OK'
