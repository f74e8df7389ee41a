// The turn workload on Colyseus. A room lives in the memory of the process that created it; matchmaking is shared
// through Redis. Players of a room connect to the process that owns it.
const { RedisDriver, RedisPresence, Room, Server, WebSocketTransport } = require("colyseus");

const port = Number(process.env.PORT);

class TurnRoom extends Room {
  onCreate({ players }) {
    this.counter = 0;
    this.maxClients = players;
    this.patchRate = null; // updates are messages, so there is no state to compare and patch
    this.onMessage("move", (client) => {
      if (client.userData.seat !== this.counter % players) {
        client.send("refused", this.counter);
        return;
      }
      this.counter += 1;
      this.broadcast("update", this.counter);
    });
  }

  onJoin(client, { seat }) {
    client.userData = { seat };
  }
}

const server = new Server({
  driver: new RedisDriver(process.env.STORE_URL),
  greet: false,
  presence: new RedisPresence(process.env.STORE_URL),
  publicAddress: `127.0.0.1:${port}`,
  transport: new WebSocketTransport({}),
});
server.define("turns", TurnRoom);
server.listen(port, "127.0.0.1").then(() => console.log("listening"));
