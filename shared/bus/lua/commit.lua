#!lua
-- Commits batches of partitions, each independently of the others and only if the writer still owns the partition.
-- Messages of all committed batches are published together, one message per channel.
-- A write that the store refuses is left out; the others are done, the messages of its batch are not published, and the
-- cursor still moves, because the same batch would be refused again for ever.
-- KEYS     for each partition: the owner hash, the log of records, the log of updates, and the key of each write.
--          Every key is declared: while a slot of a Cluster migrates, the call then answers TRYAGAIN and runs nothing,
--          instead of failing between two writes.
-- ARGV     for each partition: the owner's token, the cursor before and after the batch, the number of the commit and
--          the epoch (together the id of its log entries), the entry of each log (empty: none), the number of writes,
--          the number of words of the messages; then the writes and the messages.
--          A write is its number of words besides the key, the command and the words behind the key.
--          A message is its channel, items of the JSON array that is published there, and an empty word; or its channel
--          and the two parts of an item around the entry of the log of updates.
-- Returns for each partition OK; DONE if this very batch is written already; FENCED if the token or the cursor is not
-- the stored one; or the error of a write.
local KEYS, ARGV, call, pcall, tonumber, unpack = KEYS, ARGV, redis.call, redis.pcall, tonumber, unpack
local HEAD = 9
local outcomes, channels, items = {}, {}, {}

-- Whether the batch may be written; if not, why.
local function check(owner, at)
  local token, before, after = ARGV[at], ARGV[at + 1], ARGV[at + 2]
  local held = call('HMGET', owner, 'token', 'cursor')
  local cursor = held[2] or '0-0'
  -- The token is new each time the partition is taken: a worker that was paused past its lease still has an old one.
  if held[1] ~= token then return 'FENCED' end
  -- The same owner may send a batch again after it lost the reply: its cursor shows that it was written.
  if cursor ~= before then return cursor == after and 'DONE' or 'FENCED' end
  return 'OK'
end

local function refusal(reply) return type(reply) == 'table' and reply.err or nil end

-- Adds the entries of the logs and moves the cursor; the store's refusal, if there is one.
local function append(key, at)
  local number, records, steps = ARGV[at + 3], ARGV[at + 5], ARGV[at + 6]
  local id, refused = number .. '-' .. ARGV[at + 4], nil
  call('HSET', KEYS[key], 'cursor', ARGV[at + 2], 'commit', number)
  if records ~= '' then refused = refusal(pcall('XADD', KEYS[key + 1], id, 'b', records)) end
  if steps ~= '' and not refused then refused = refusal(pcall('XADD', KEYS[key + 2], id, 'b', steps)) end
  return refused
end

-- Does the other writes; the last refusal, if there is one, and the place behind the writes.
local function write(key, at, writes)
  local refused
  for number = 1, writes do
    local words = tonumber(ARGV[at])
    refused = refusal(pcall(ARGV[at + 1], KEYS[key + number], unpack(ARGV, at + 2, at + words))) or refused
    at = at + words + 1
  end
  return refused, at
end

local function skip(at, writes)
  for _ = 1, writes do at = at + ARGV[at] + 1 end
  return at
end

-- Collects the words of messages: they are joined once, because Lua copies and hashes every string that it makes.
local function collect_messages(at, finish, steps)
  for place = at, finish - 1, 3 do
    local channel, tail = ARGV[place], ARGV[place + 2]
    local list = items[channel]
    if list then
      table.insert(list, ',')
    else
      list = { '[' }
      items[channel] = list
      table.insert(channels, channel)
    end
    table.insert(list, ARGV[place + 1])
    if tail ~= '' then
      table.insert(list, steps)
      table.insert(list, tail)
    end
  end
end

local key, at, last = 1, 1, #KEYS
while key <= last do
  local writes, words = tonumber(ARGV[at + 7]), tonumber(ARGV[at + 8])
  local outcome, messages = check(KEYS[key], at), nil
  local refused = outcome == 'OK' and append(key, at) or nil
  if outcome == 'OK' and not refused then
    refused, messages = write(key + 2, at + HEAD, writes)
    if not refused then collect_messages(messages, messages + words, ARGV[at + 6]) end
  else
    messages = skip(at + HEAD, writes)
  end
  if refused then outcome = refused end
  table.insert(outcomes, outcome)
  key, at = key + 3 + writes, messages + words
end
for _, channel in ipairs(channels) do
  -- On a Cluster the channel of a delivery has the partition's hash tag, and its messages stay at the slot's node.
  local publish = string.find(channel, '{', 1, true) and 'SPUBLISH' or 'PUBLISH'
  table.insert(items[channel], ']')
  call(publish, channel, table.concat(items[channel]))
end
return outcomes
