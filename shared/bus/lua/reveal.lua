#!lua flags=allow-oom
-- Makes commits of partitions visible, once enough replicas have them: readers stop at the last visible commit. Their
-- messages are published here and not by the commit, one message per channel.
-- KEYS     the owner hash of each partition
-- ARGV     for each partition: the owner's token, the number of the commit, the number of words of the messages; then
--          the messages, each a channel and items of the JSON array that is published there
-- Returns for each partition 1, or 0 if the caller does not own it any more: the next owner makes the commit visible.
local KEYS, ARGV, call = KEYS, ARGV, redis.call
local channels, items, answers = {}, {}, {}

local at = 1
for key = 1, #KEYS do
  local token, number, words = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2])
  local held = call('HMGET', KEYS[key], 'token', 'visible')
  local owned = held[1] == token
  if owned and tonumber(held[2] or '0') < tonumber(number) then call('HSET', KEYS[key], 'visible', number) end
  for place = at + 3, at + 2 + words, 2 do
    local channel = ARGV[place]
    if owned and not items[channel] then
      items[channel] = {}
      table.insert(channels, channel)
    end
    if owned then table.insert(items[channel], ARGV[place + 1]) end
  end
  table.insert(answers, owned and 1 or 0)
  at = at + 3 + words
end
for _, channel in ipairs(channels) do
  local publish = string.find(channel, '{', 1, true) and 'SPUBLISH' or 'PUBLISH'
  call(publish, channel, '[' .. table.concat(items[channel], ',') .. ']')
end
return answers
