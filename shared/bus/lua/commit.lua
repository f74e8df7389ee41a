#!lua
-- Commits batches of partitions, each for itself, unless somebody else owns the partition by now. What the committed ones
-- have to say is published together, one message per channel. A write that the store refuses ends its batch: what was
-- written before it stays, nobody is told, and the stream goes on, since it would be refused for ever.
-- KEYS     for each partition its owner hash, then the streams of its short writes, in order; at last all other keys
-- ARGV     for each partition: the owner's token, the stream offset before the batch and after it, its number of KEYS,
--          the number of words of its writes and of its messages, and these words.
--          A write is 0 and then id, field and value of an XADD to the next key, or its number of words and the words.
--          A message is its channel and items of the JSON array that is published there.
-- Returns for each partition OK; DONE if this very batch is there already; FENCED if the token or the offset is not the
-- stored one; or what was wrong with a write.
local KEYS, ARGV, call, tonumber, unpack = KEYS, ARGV, redis.call, tonumber, unpack
local outcomes, channels, items = {}, {}, {}

local function write(key, at, finish)
  while at < finish do
    local words = tonumber(ARGV[at])
    if words == 0 then
      call('XADD', KEYS[key], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3])
      key, at = key + 1, at + 4
    else
      call(unpack(ARGV, at + 1, at + words))
      at = at + words + 1
    end
  end
end

local function say(at, finish)
  for place = at, finish - 1, 2 do
    local channel = ARGV[place]
    if not items[channel] then
      items[channel] = {}
      table.insert(channels, channel)
    end
    table.insert(items[channel], ARGV[place + 1])
  end
end

local function commit(key, at, messages, finish)
  local owner, token, before, after = KEYS[key], ARGV[at], ARGV[at + 1], ARGV[at + 2]
  local held = call('HMGET', owner, 'token', 'cursor')
  local cursor = held[2] or '0-0'
  if held[1] ~= token then return 'FENCED' end
  if cursor ~= before then return cursor == after and 'DONE' or 'FENCED' end
  if after ~= before then call('HSET', owner, 'cursor', after) end
  local fine, wrong = pcall(write, key + 1, at + 6, messages)
  if not fine then return type(wrong) == 'table' and wrong.err or tostring(wrong) end
  say(messages, finish)
  return 'OK'
end

local key, at = 1, 1
while at <= #ARGV do
  local messages = at + 6 + tonumber(ARGV[at + 4])
  local finish = messages + tonumber(ARGV[at + 5])
  table.insert(outcomes, commit(key, at, messages, finish))
  key, at = key + tonumber(ARGV[at + 3]), finish
end
for _, channel in ipairs(channels) do
  call('PUBLISH', channel, '[' .. table.concat(items[channel], ',') .. ']')
end
return outcomes
