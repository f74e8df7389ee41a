// The client side of the play protocol (docs/protocols/play.md). Draws nothing.
//
// A request is queued until it is answered, and sent again after every reconnection, so that none is lost. A request
// that may have arrived keeps its id, so that none is carried out twice. Rooms are resumed from the last step seen.

import { Emitter } from "./emitter.js";

const WANTS = ["view", "options"];
const FIRST_DELAY = 250;
const LONGEST_DELAY = 5_000;
const BUSY_DELAY = 400;
const PONG_LIMIT = 4_000;
const NO_RETURN = new Set([1000, 1002, 1008, 1009, 4004]);
const REPLACED = 4001;

const isOver = (view) => view?.status === "finished" || view?.status === "closed";

/** The cluster refused a request. */
export class Refusal extends Error {
  constructor(code, text) {
    super(text || code);
    this.code = code;
  }
}

/**
 * Emits: `state` (connecting, online, offline, replaced, refused), `welcome`, `view` {room, view, reason},
 * `update`, `rooms_changed`, `hello_refused`, `trouble`.
 */
export class Play extends Emitter {
  #url;
  #identity;
  #socket = null;
  #queue = [];
  #rooms = new Map();
  #left = new Set();
  #keys = new Map();
  #lastId = 0;
  #tries = 0;
  #timer = 0;
  #pong = 0;
  #retryTimer = 0;
  state = "offline";
  welcome = null;

  /** `identity` has `token`, `name` and `keep(welcome)`, `forget()`. */
  constructor(url, identity) {
    super();
    this.#url = url;
    this.#identity = identity;
  }

  // --- the connection ---

  connect() {
    clearTimeout(this.#timer);
    this.#drop();
    this.#become("connecting");
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    socket.onopen = () => this.#hello();
    socket.onmessage = (message) => this.#receive(JSON.parse(message.data));
    socket.onclose = (event) => socket === this.#socket && this.#lost(event);
  }

  /** Checks the connection with a ping: after the computer slept, a dead socket still looks open. */
  check() {
    if (this.state === "offline") this.connect();
    if (this.state !== "online" || this.#pong) return;
    this.#pong = setTimeout(() => this.connect(), PONG_LIMIT);
    this.#socket.send(JSON.stringify({ type: "ping", t: Date.now() }));
  }

  /** Ends the session and begins another one under this name. */
  rename(name) {
    if (this.state === "online") this.#socket.send(JSON.stringify({ type: "bye" }));
    this.#identity.forget();
    this.#identity.name = name;
    this.#rooms.clear();
    this.#tries = 0;
    this.connect();
  }

  #drop() {
    clearTimeout(this.#pong);
    clearTimeout(this.#retryTimer);
    this.#pong = this.#retryTimer = 0;
    if (!this.#socket) return;
    this.#socket.onclose = this.#socket.onmessage = null;
    this.#socket.close();
    this.#socket = null;
    for (const request of this.#queue.splice(0)) {
      request.uncertain ||= request.underway;
      request.underway = false;
      if (request.kept) this.#queue.push(request);
      else request.reject(new Refusal("connection/lost", "the connection was lost"));
    }
  }

  #become(state) {
    if (this.state === state) return;
    this.state = state;
    this.emit("state", state);
  }

  #hello() {
    const { token, name } = this.#identity;
    this.#socket.send(JSON.stringify(token ? { type: "hello", token } : { type: "hello", name }));
  }

  #lost(event) {
    this.#drop();
    if (event.code === REPLACED) return this.#become("replaced");
    if (NO_RETURN.has(event.code)) return this.#become("refused");
    this.#become("offline");
    const asked = /come back in (\d+) ms/.exec(event.reason);
    const backoff = Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** this.#tries++);
    this.#timer = setTimeout(() => this.connect(), asked ? Number(asked[1]) : backoff * (0.5 + Math.random() / 2));
  }

  // --- requests ---

  /** The next request id. Ids rise over the whole session, reloads included. */
  #nextId() {
    this.#lastId = Math.max(this.#lastId + 1, Date.now() * 1000);
    return this.#lastId;
  }

  /** Sends a request; resolves to the answer or rejects with a `Refusal`. Kept requests survive reconnections. */
  request(type, fields = {}, kept = true) {
    return new Promise((resolve, reject) => {
      this.#queue.push({ id: 0, type, fields, kept, underway: false, uncertain: false, resolve, reject });
      this.#send();
    });
  }

  /** Sends all requests that are not under way, in order. Only those that may have arrived before keep their ids. */
  #send() {
    if (this.state !== "online" || this.#retryTimer) return;
    for (const request of this.#queue.filter(({ underway }) => !underway)) {
      if (!request.uncertain) request.id = this.#nextId();
      request.underway = true;
      this.#socket.send(JSON.stringify({ type: request.type, id: request.id, ...request.fields }));
    }
  }

  #settle(id) {
    const place = this.#queue.findIndex((request) => request.id === id);
    return place < 0 ? undefined : this.#queue.splice(place, 1)[0];
  }

  /** Retries a request that was refused as busy after a pause, before any newer request is sent. */
  #retry(id) {
    const request = this.#queue.find((one) => one.id === id);
    if (request) request.underway = false;
    this.#pause(() => this.#send());
  }

  /** Calls `then` after a pause, unless the connection is lost before. */
  #pause(then) {
    this.#retryTimer ||= setTimeout(
      () => {
        this.#retryTimer = 0;
        then();
      },
      BUSY_DELAY * (0.5 + Math.random()),
    );
  }

  /** The rooms that are not over and in which this player has a seat, as far as the page knows. */
  get seated() {
    const known = [...this.#rooms]
      .filter(([, { seat, over }]) => Number.isInteger(seat) && !over)
      .map(([room]) => room);
    return [
      ...new Set([
        ...known,
        ...(this.welcome?.rooms ?? []).filter((room) => !this.#rooms.has(room) && !this.#left.has(room)),
      ]),
    ];
  }

  /** The attached rooms whose game is over. */
  get over() {
    return [...this.#rooms].filter(([, { over }]) => over).map(([room]) => room);
  }

  // --- rooms ---

  create(spec) {
    return this.request("create", { ...spec, wants: WANTS });
  }

  join(room, choice = {}) {
    return this.request("join", { room, choice, wants: WANTS, ...this.#keyOf(room) });
  }

  match(game, seats, options) {
    return this.request("match", { game, seats, options, wants: WANTS });
  }

  rematch(room) {
    return this.request("rematch", { room, wants: WANTS });
  }

  /** Attaches to a room: from the own seat if there is one, else as a spectator. */
  attend(room) {
    return this.request("spectate", { room, wants: WANTS, ...this.#keyOf(room) });
  }

  view(room) {
    return this.request("view", { room, wants: WANTS, ...this.#keyOf(room) }, false);
  }

  /** The key of a private room, as far as the page knows it. */
  key(room) {
    return this.#keys.get(room) ?? "";
  }

  /** Remembers the key of a private room, for example from a link. */
  learnKey(room, key) {
    if (key) this.#keys.set(room, key);
  }

  #keyOf(room) {
    const key = this.key(room);
    return key ? { key } : {};
  }

  act(room, command) {
    return this.request("act", { room, command });
  }

  say(room, text, to) {
    return this.request("say", to ? { room, text, to } : { room, text });
  }

  leave(room) {
    this.#rooms.delete(room);
    this.#left.add(room);
    return this.request("leave", { room });
  }

  list(filters = {}) {
    return this.request("rooms", { ...filters, live: true }, false);
  }

  // --- what comes ---

  #receive(message) {
    switch (message.type) {
      case "welcome":
        return this.#welcomed(message);
      case "error":
        return this.#refused(message);
      case "pong":
        clearTimeout(this.#pong);
        this.#pong = 0;
        return undefined;
      case "update":
        return this.#stepped(message);
      case "rooms_changed":
        return this.emit("rooms_changed", message);
      case "entered":
      case "watching":
      case "view":
      case "resumed":
        this.#attended(message);
        break;
    }
    if (message.id !== undefined) this.#settle(message.id)?.resolve(message);
    return undefined;
  }

  #welcomed(message) {
    this.#tries = 0;
    this.#identity.keep(message);
    this.welcome = message;
    const unanswered = this.#queue.splice(0);
    this.#become("online");
    this.#resume();
    this.#queue.push(...unanswered);
    this.#send();
    this.emit("welcome", message);
  }

  /** Resumes all rooms before other requests are sent: a room refuses commands of a player who is away. */
  #resume() {
    for (const [room, { epoch, offset }] of this.#rooms) {
      const fields = { room, epoch, offset, wants: WANTS, ...this.#keyOf(room) };
      this.request("resume", fields, false).catch((refusal) => {
        if (refusal.code !== "connection/lost") this.emit("trouble", refusal);
      });
    }
  }

  #refused({ id, code, text }) {
    if (id === undefined) {
      if (this.state === "connecting") this.#helloRefused(code, text);
      else this.emit("trouble", new Refusal(code, text));
    } else if (code.startsWith("busy/")) {
      this.#retry(id);
    } else {
      this.#settle(id)?.reject(new Refusal(code, text));
    }
  }

  /** Handles a refused hello: forgets an expired token; leaves the choice of another name to the page. */
  #helloRefused(code, text) {
    if (code.startsWith("token/")) {
      this.#identity.forget();
      this.#hello();
    } else if (code.startsWith("busy/")) {
      this.#pause(() => this.#hello());
    } else {
      this.emit("hello_refused", new Refusal(code, text));
    }
  }

  /** Sends hello again, after the identity was changed. */
  introduce() {
    if (this.state === "connecting" && this.#socket?.readyState === WebSocket.OPEN) this.#hello();
  }

  #attended({ type, room, seat, epoch, offset, view, reason, key }) {
    const before = this.#rooms.get(room);
    this.learnKey(room, key);
    this.#rooms.set(room, { epoch, offset, seat, over: view ? isOver(view) : before?.over });
    if (view) this.emit("view", { room, view, reason });
    else if (type === "resumed" && before?.seat !== seat) this.view(room).catch(() => {});
  }

  #stepped(update) {
    const { room, epoch, offset } = update;
    const seen = this.#rooms.get(room);
    if (!seen || offset <= seen.offset) return;
    const whole = offset === seen.offset + 1;
    this.#rooms.set(room, { ...seen, epoch, offset, over: seen.over || isOver(update.view) });
    this.emit("update", update);
    // Updates that were missed come without views; the gateway sends one view behind the last of them.
    if (!whole) this.view(room).catch(() => {});
  }
}
