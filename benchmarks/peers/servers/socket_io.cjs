// The turn workload on Socket.IO with the Redis streams adapter. The counter of a room is in Redis, because the players
// of a room are connected to different processes; a script checks the turn and advances the counter in one step.
const http = require("node:http");
const { createAdapter } = require("@socket.io/redis-streams-adapter");
const { createClient, defineScript } = require("redis");
const { Server } = require("socket.io");

const advance = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `
    local counter = tonumber(redis.call("GET", KEYS[1]) or 0)
    if counter % ARGV[2] ~= tonumber(ARGV[1]) then return -1 end
    return redis.call("INCR", KEYS[1])
  `,
  parseCommand(parser, room, seat, players) {
    parser.pushKey(`counter:${room}`);
    parser.push(seat, players);
  },
  transformReply: (reply) => reply,
});

async function main() {
  const url = process.env.STORE_URL;
  const store = await createClient({ url, scripts: { advance } }).connect();
  const adapter = createAdapter(await createClient({ url }).connect());
  const server = http.createServer();
  const io = new Server(server, { adapter, transports: ["websocket"] });

  io.on("connection", (socket) => {
    const { room, seat, players } = socket.handshake.query;
    socket.join(room);
    socket.on("move", async () => {
      const counter = await store.advance(room, seat, players);
      if (counter < 0) socket.emit("refused");
      else io.to(room).emit("update", counter);
    });
    socket.emit("seated");
  });
  server.listen(Number(process.env.PORT), "127.0.0.1", 4096, () => console.log("listening"));
}

main();
