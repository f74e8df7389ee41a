#!lua flags=allow-oom
-- Forgets a gateway that has died, once no room of the partition counts on it. Both in one step: a command that the
-- gateway had added before may seat a player at any moment, also after the rooms were told of its death.
-- KEYS[1]  the gateways of the partition   KEYS[2] the rooms of the gateway
-- ARGV[1]  the gateway   ARGV[2...] rooms that are left out because they cannot answer
-- Returns 1 if it is forgotten, 0 if rooms are left.
local gateways, rooms, gateway = KEYS[1], KEYS[2], ARGV[1]

for number = 2, #ARGV do redis.call('SREM', rooms, ARGV[number]) end
if redis.call('EXISTS', rooms) == 1 then return 0 end
redis.call('SREM', gateways, gateway)
return 1
