// The JavaScript client as a `ScenarioClient` (tests/clients/scenarios.py), for any number of players.
//
// Reads calls from the standard input and writes their results to the standard output, one JSON object per line.

import { createInterface } from "node:readline";

import { connect, RequestRefused, SessionEnded } from "../../clients/javascript/client.js";

const plain = ({ offset, id = null, events, reason = "" }) => ({
  offset,
  id,
  events: events.map(({ type }) => type),
  reason,
});

class ScenarioClient {
  #player = null;
  #token = "";
  #tables = new Map();
  #seen = new Map();

  async connect({ urls, name }) {
    this.#player = await connect(urls, { name });
    return {};
  }

  async connect_again({ urls }) {
    this.#player = await connect(urls, { token: this.#token });
    return {};
  }

  create = async ({ game, ...spec }) => this.#enter(await this.#player.create(game, spec));
  match = async ({ game, ...filters }) => this.#enter(await this.#player.match(game, filters));
  join = async ({ room }) => this.#enter(await this.#player.join(room));
  spectate = async ({ room }) => this.#enter(await this.#player.spectate(room));
  rematch = async ({ room }) => this.#enter(await this.#tables.get(room).rematch());
  resume = async ({ room }) => this.#enter(await this.#player.resume(room, this.#tables.get(room).position));
  act = async ({ room, command }) => plain(await this.#tables.get(room).act(command));
  say = async ({ room, text }) => plain(await this.#tables.get(room).say(text));
  fill = async ({ room }) => plain(await this.#tables.get(room).fill());

  #enter(table) {
    const { room, seat, entered } = table;
    if (table !== this.#tables.get(room)) {
      this.#tables.set(room, table);
      this.#read(table);
    }
    return { room, seat, offset: entered.offset };
  }

  async #read(table) {
    const seen = this.#seen.get(table.room) ?? [];
    this.#seen.set(table.room, seen);
    try {
      for await (const update of table.updates({ untilLeft: true })) seen.push(plain(update));
    } catch (error) {
      if (!(error instanceof SessionEnded)) throw error;
    }
  }

  async leave({ room }) {
    await this.#tables.get(room).leave();
    return {};
  }

  state({ room }) {
    const { position, over, view, chat } = this.#tables.get(room);
    const winners = view.outcome?.winners ?? null;
    return { offset: position.offset, over, winners, chat: chat.map(({ text }) => text), game: view.game ?? null };
  }

  seen({ room }) {
    return { updates: this.#seen.get(room) ?? [] };
  }

  token() {
    return { token: this.#player.token };
  }

  close() {
    this.#token = this.#player.token;
    this.#player.close();
    return {};
  }

  async end() {
    await this.#player?.bye();
    return {};
  }
}

const clients = new Map();

async function answer({ call, client, action, values }) {
  if (!clients.has(client)) clients.set(client, new ScenarioClient());
  try {
    return { call, result: await clients.get(client)[action](values) };
  } catch (error) {
    const { code, message: text, stack } = error;
    if (error instanceof RequestRefused) return { call, result: { refused: code, text } };
    return error instanceof SessionEnded ? { call, result: { ended: code, text } } : { call, failed: stack };
  }
}

for await (const line of createInterface({ input: process.stdin }))
  answer(JSON.parse(line)).then((result) => process.stdout.write(`${JSON.stringify(result)}\n`));
