// A program that uses every part of the types in client.d.ts. It is compiled by a test, and never run.

import {
  ClientError,
  connect,
  NoAnswer,
  Player,
  RequestRefused,
  SessionEnded,
  Table,
} from "../../clients/javascript/client.js";
import type { ChatMessage, Command, ListedTable, TableUpdate, TableView } from "../../clients/javascript/client.js";

const player: Player = await connect(["ws://127.0.0.1:8000", "ws://127.0.0.1:8001"], { name: "ts", patienceMs: 1000 });
const table: Table = await player.create("stones", { seats: 2, bots: 1, private: true, options: { stones: 9 } });
while (await table.myTurn()) {
  const [first]: Command[] = table.options;
  if (!first) break;
  const step: TableUpdate = await table.act(first);
  for (const event of step.events) console.log(event.type, step.reason ?? "");
}
const filled: TableUpdate = await table.fill();
console.log(filled.by);
const view: TableView = table.view;
const winners: number[] = view.outcome?.winners ?? [];
const said: ChatMessage[] = table.chat;
const off: () => void = table.on("update", ({ events }) => console.log(events.length));
table.on("end", (error: ClientError | null) => console.log(error?.code));
off();
for await (const update of table.updates({ untilLeft: true })) console.log(update.offset);
const again: Table = await table.rematch();
const spectated = await player.spectate(again.room, { key: again.key, wants: [] });
const list: ListedTable[] = (await player.rooms({ game: "stones", live: true })).rooms;
player.on("rooms_changed", ({ changed, gone }) => console.log(changed[0]?.free, gone));
const matched = await player.match("stones");
const resumed = await player.resume(matched.room, matched.position);
try {
  await resumed.say("hi", "bob");
  const filled: TableUpdate = await resumed.fill();
  console.log(filled.offset);
} catch (error) {
  if (error instanceof RequestRefused || error instanceof NoAnswer || error instanceof SessionEnded)
    console.log(error.code, error.uncertain);
}
await player.bye({ forget: true });
console.log(winners, said, spectated.seat, list);
// @ts-expect-error: seats are needed
await player.create("stones", {});
// @ts-expect-error: there is no such event
table.on("nonsense", () => {});
// @ts-expect-error: read only
table.room = 5;
