#!lua
-- Commits batches of partitions, each independently of the others and only if the writer still owns the partition.
-- Messages of all committed batches are published together, one message per channel.
-- A write that the store refuses ends its batch: earlier writes of the batch stay, its messages are not published, and
-- the cursor still moves, because the same batch would be refused again for ever.
-- KEYS     the owner hash of each partition. All keys of a partition lie in the slot of this one.
-- ARGV     the ends of the keys of a room's journal and of its updates; then for each partition: the owner's token, the
--          cursor before and after the batch, the beginning of the keys of its rooms, entries, the number of words of
--          the other writes and of the messages, and these words.
--          An entry is four lines: room, id, journal record, step message (may be empty). An empty line in place of a
--          room stands for the next of the other writes.
--          A write is its number of words and the words.
--          A message is its channel and items of the JSON array that is published there.
-- Returns for each partition OK; DONE if this very batch is written already; FENCED if the token or the cursor is not
-- the stored one; or the error of a write.
local KEYS, ARGV, call, tonumber, unpack = KEYS, ARGV, redis.call, tonumber, unpack
local find, sub = string.find, string.sub
local journal, updates = ARGV[1], ARGV[2]
local outcomes, channels, items = {}, {}, {}

local function write(rooms, entries, at, finish)
  local from, length = 1, #entries
  local function next_write()
    local words = tonumber(ARGV[at])
    call(unpack(ARGV, at + 1, at + words))
    at = at + words + 1
  end
  while from <= length do
    local number = find(entries, '\n', from, true)
    if number == from then
      next_write()
      from = from + 1
    else
      local id = find(entries, '\n', number + 1, true)
      local record = find(entries, '\n', id + 1, true)
      local message = find(entries, '\n', record + 1, true)
      local room, place = rooms .. sub(entries, from, number - 1), sub(entries, number + 1, id - 1)
      call('XADD', room .. journal, place, 'b', sub(entries, id + 1, record - 1))
      if message > record + 1 then call('XADD', room .. updates, place, 'b', sub(entries, record + 1, message - 1)) end
      from = message + 1
    end
  end
  while at < finish do next_write() end
end

local function collect_messages(at, finish)
  for place = at, finish - 1, 2 do
    local channel = ARGV[place]
    if not items[channel] then
      items[channel] = {}
      table.insert(channels, channel)
    end
    table.insert(items[channel], ARGV[place + 1])
  end
end

local function commit(owner, at, messages, finish)
  local token, before, after = ARGV[at], ARGV[at + 1], ARGV[at + 2]
  local held = call('HMGET', owner, 'token', 'cursor')
  local cursor = held[2] or '0-0'
  -- The token is new each time the partition is taken: a worker that was paused past its lease still has an old one.
  if held[1] ~= token then return 'FENCED' end
  -- The same owner may send a batch again after it lost the reply: its cursor shows that it was written.
  if cursor ~= before then return cursor == after and 'DONE' or 'FENCED' end
  if after ~= before then call('HSET', owner, 'cursor', after) end
  local fine, wrong = pcall(write, ARGV[at + 3], ARGV[at + 4], at + 7, messages)
  if not fine then return type(wrong) == 'table' and wrong.err or tostring(wrong) end
  collect_messages(messages, finish)
  return 'OK'
end

local at = 3
for _, owner in ipairs(KEYS) do
  local messages = at + 7 + tonumber(ARGV[at + 5])
  local finish = messages + tonumber(ARGV[at + 6])
  table.insert(outcomes, commit(owner, at, messages, finish))
  at = finish
end
for _, channel in ipairs(channels) do
  call('PUBLISH', channel, '[' .. table.concat(items[channel], ',') .. ']')
end
return outcomes
