// A client of Tavolata for web pages and programs: one session over any number of connections.
//
// A request is carried out exactly once, or refused, whatever dies meanwhile: it is sent again with the same id where a
// copy may have arrived, and with a new id only where none can have. The updates of a table have no hole. The protocol
// is described in docs/protocols/play.md, the types are in client.d.ts, the guide is docs/clients/javascript.md.

/** The version of the protocol that this client speaks. Gateways of another major version refuse it. */
const PROTOCOL = "1.0";
const UPDATE_CLIENT = "use the client library of the cluster's release";
const WANTS = ["view", "options"];
const CONNECT_MS = 10_000;
const PATIENCE_MS = 60_000;
const GOODBYE_MS = 2_000;
/** Time without a message after which the client sends a ping, and time for the answer. */
const SILENT_MS = 15_000;
const PONG_MS = 5_000;
/** Time without an answer after which a request is sent again on the same connection. */
const ANSWER_MS = 15_000;
/**
 * Requests that may be sent to a room after one that is not answered. A room keeps the results of the last 64 requests
 * of a seat: beyond that, it could not say any more whether it has carried out the oldest one.
 */
const MOST_NEWER = 48;
/** New ids for a request that is refused as too old, before the refusal is final. */
const MOST_RENEWALS = 3;
const MOST_REQUESTS = 256;
const REMOVED = "an operator has removed you from this room";
const MOST_UPDATES = 256;
const MOST_CHAT = 500;
const MOST_FRAME_BYTES = 65_536;
const LONGEST_TIMER_MS = 2 ** 30;
const CROWDED = 1013;
/** The `readyState` of a WebSocket that takes frames. */
const OPEN = 1;
const SCHEMES = { "ws:": "ws:", "wss:": "wss:", "http:": "ws:", "https:": "wss:" };
/** Close codes after which the server will not serve the session again at once. */
const FINAL = {
  1000: "the session was closed",
  1002: "the server saw a violation of the WebSocket protocol",
  1007: "the server received text that is not UTF-8",
  1008: "too many malformed or too many messages",
  1009: "a message was too long",
  4001: "the session was opened on another connection; use one connection per session",
  4004: "the session was revoked",
  4006: `the server speaks another version of the protocol; ${UPDATE_CLIENT}`,
};
/** Requests that are answered by the update of their step as well as by an `ack`. */
const STEPS = new Set(["act", "say", "fill"]);
/** Requests that take a seat. */
const SEATS = new Set(["create", "join", "match", "rematch"]);

const now = () => performance.now();
const isBusy = (code) => code.startsWith("busy/");

/** Delay before the next connection. A gateway that stops names one, which spreads its clients over time. */
function reconnectDelay(code, reason, losses) {
  const named = /come back in (\d+) ms/.exec(reason);
  if (named) return Number(named[1]);
  return (code === CROWDED ? 1_000 : 50) + Math.random() * Math.min(5_000, 50 * 2 ** losses);
}

function busyDelay(tries) {
  return Math.min(2_000, 100 * 2 ** (tries - 1)) * (0.5 + Math.random() / 2);
}

/** The address of the protocol at a gateway. */
function playUrl(text) {
  const url = new URL(text);
  if (!SCHEMES[url.protocol]) throw new TypeError(`${text} is not the address of a gateway, like ws://127.0.0.1:8000`);
  url.protocol = SCHEMES[url.protocol];
  if (url.pathname === "/") url.pathname = "/ws/play";
  return url.href;
}

/** The fields that were given. */
const given = (fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

// --- errors ---

/** `code` is stable, `text` says why. `uncertain`: the request may have been carried out nevertheless. */
export class ClientError extends Error {
  constructor(code, text = "", uncertain = false) {
    super(text || code);
    this.name = new.target.name;
    this.code = code;
    this.uncertain = uncertain;
  }
}

/** The cluster refused a request, and nothing was changed. */
export class RequestRefused extends ClientError {}

/** No gateway has answered for as long as the client was to be patient. */
export class NoAnswer extends ClientError {}

/** The session cannot go on: it was closed, opened in another place, or refused. */
export class SessionEnded extends ClientError {}

const noAnswer = (text, uncertain = false) => new NoAnswer("client/no_answer", text, uncertain);

/** Named events with listeners. */
class Emitter {
  #listeners = new Map();

  on(name, listener) {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  /** A listener that throws must not keep the client from following the protocol: its error is reported later. */
  static emit(source, name, detail) {
    for (const listener of [...(source.#listeners.get(name) ?? [])]) {
      try {
        listener(detail);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}

const { emit } = Emitter;

// --- requests ---

class PendingRequest {
  id = 0;
  /** Counts the requests that were sent to the room. */
  number = 0;
  sentAt = 0;
  /** An earlier copy may have arrived: the id must not change, or the request could be carried out twice. */
  uncertain = false;
  tries = 0;
  notBefore = 0;
  /** The `ack`, while the update of its step has not been received. */
  acked = null;

  /** `own`: the client itself makes the request, and no caller waits for the answer. */
  constructor(kind, fields, deadline = Infinity, own = false) {
    Object.assign(this, { kind, fields, deadline, own, room: fields.room ?? 0 });
    this.answer = new Promise((resolve, reject) => Object.assign(this, { resolve, reject }));
    if (own) this.answer.catch(() => {});
  }

  get frame() {
    return JSON.stringify({ type: this.kind, id: this.id, ...this.fields });
  }
}

/** The requests that are not answered: those under way on the present connection, and those that wait. */
class Outbox {
  /** The session is accepted on the present connection: requests may be sent. */
  online = false;
  /** The time of the next `tick`. */
  due = Infinity;
  /** Higher than every id of earlier runs of the session. */
  lastId = Date.now() * 1_000;
  /** By id, in the order of sending. */
  underWay = new Map();
  #waiting = [];
  /** Ids of requests for a seat whose answer is not wanted any more. */
  #abandoned = new Set();
  #rooms;
  #write;

  constructor(rooms, write) {
    this.#rooms = rooms;
    this.#write = write;
  }

  get unanswered() {
    return [...this.underWay.values(), ...this.#waiting];
  }

  submit(request) {
    this.#waiting.push(request);
    this.wakeAt(request.deadline);
    this.flush();
  }

  /** Sends a request at once. It gets a new id unless a copy with the present one may have arrived. */
  send(request) {
    if (!request.uncertain) {
      request.id = ++this.lastId;
      const room = this.#rooms.get(request.room);
      if (room) request.number = room.sent++;
    }
    request.sentAt = now();
    this.underWay.set(request.id, request);
    this.wakeAt(Math.min(request.deadline, request.sentAt + ANSWER_MS));
    this.#write(request.frame);
  }

  wakeAt(when) {
    this.due = Math.min(this.due, when);
  }

  #maySend(request) {
    const room = this.#rooms.get(request.room);
    if (!room) return true;
    if (room.resuming && !request.own) return false; // a game may refuse commands of a player who is away
    return ![...this.underWay.values()].some(
      (other) => other.room === room.room && room.sent - other.number >= MOST_NEWER,
    );
  }

  /**
   * Sends the waiting requests that may be sent, in order. A request must not overtake one of the same kind in its
   * room, nor one that keeps its id: the room would refuse the lower id as too old.
   */
  flush() {
    if (!this.online) return;
    const held = new Set();
    for (const request of this.#waiting.splice(0)) {
      const { room, kind, own, uncertain, notBefore } = request;
      const behind = !own && (held.has(`${room} ${kind}`) || held.has(`${room}`));
      if (!behind && notBefore <= now() && this.#maySend(request)) {
        this.send(request);
        continue;
      }
      if (room) held.add(uncertain ? `${room}` : `${room} ${kind}`);
      this.#waiting.push(request);
      if (notBefore > now()) this.wakeAt(notBefore);
    }
  }

  /** Sends again what is due, and gives up what has waited for too long. */
  tick() {
    this.due = Infinity;
    for (const request of this.unanswered) {
      const sent = this.underWay.get(request.id) === request;
      if (now() >= request.deadline) {
        this.#withdraw(request, sent);
        request.reject(noAnswer(`no answer to ${request.kind} in time`, request.uncertain || sent));
        continue;
      }
      if (sent && now() >= request.sentAt + ANSWER_MS) this.repeat(request);
      this.wakeAt(Math.min(request.deadline, sent ? request.sentAt + ANSWER_MS : Infinity));
    }
    this.flush();
  }

  /** Sends another copy of a request that is under way. */
  repeat(request) {
    request.uncertain = true;
    request.acked = null;
    request.sentAt = now();
    this.#write(request.frame);
  }

  /** The request with this id, which is answered now. */
  take(id) {
    const request = this.underWay.get(id);
    this.underWay.delete(id);
    return request;
  }

  /** The request was refused as busy: it was not tried. It is sent again after a pause. */
  wait(request) {
    request.tries += 1;
    request.notBefore = now() + busyDelay(request.tries);
    this.#waiting.push(request);
    // Requests that were never sent have no id and stay behind. The client's own ones come first.
    const place = ({ own, id }) => (own ? -1 : id || Infinity);
    this.#waiting.sort((one, other) => (place(one) === place(other) ? 0 : place(one) - place(other)));
    this.wakeAt(request.notBefore);
  }

  /** One of the requests under way was refused as busy, and the server could not say which. */
  waitAll() {
    this.#loseAll().forEach((request) => this.wait(request));
  }

  /**
   * Sends a request that was refused as too old with a new id; false if the refusal is final.
   *
   * The room has handled a later id, so it will never carry out this one; and it knows the results of the last 64, so
   * it has not done so either. A request for a seat involves several rooms, of which only one has answered: its refusal
   * is final if a copy may have arrived.
   */
  renew(request) {
    request.tries += 1;
    if (request.tries > MOST_RENEWALS || (request.uncertain && !STEPS.has(request.kind))) return false;
    request.uncertain = false;
    this.submit(request);
    return true;
  }

  /** Everything that was under way may have arrived. The client's own requests belong to the lost connection. */
  disconnect() {
    this.online = false;
    this.#abandoned.clear();
    this.#waiting = [...this.#loseAll(), ...this.#waiting].filter(({ own }) => !own);
  }

  #loseAll() {
    const lost = [...this.underWay.values()];
    this.underWay.clear();
    for (const request of lost) request.uncertain = true;
    return lost;
  }

  #withdraw(request, sent) {
    if (!sent) this.#waiting.splice(this.#waiting.indexOf(request), 1);
    else if (this.underWay.delete(request.id) && SEATS.has(request.kind)) this.#abandoned.add(request.id);
  }

  /** Whether this is the id of a request for a seat that was given up; true once. */
  wasAbandoned(id) {
    return this.#abandoned.delete(id);
  }

  failAll(error) {
    for (const request of this.unanswered) {
      const uncertain = request.uncertain || this.underWay.has(request.id);
      request.reject(new error.constructor(error.code, error.message, uncertain));
    }
    this.underWay.clear();
    this.#waiting = [];
    this.due = Infinity;
  }
}

// --- tables ---

let attached, stepped, ended;

/** A table where the player has a seat, or that it watches. */
export class Table extends Emitter {
  #player;
  #waiters = [];
  #unread = [];
  #overrun = false;
  #reading = false;
  #left = false;
  #error = null;
  room = 0;
  seat = null;
  key = "";
  position = { epoch: 0, offset: 0 };
  view = null;
  entered = null;
  options = [];
  chat = [];
  over = false;
  wants = [];

  // The player alone calls these: what it has received of a table.
  static {
    attached = (table, message, room) => table.#attach(message, room);
    stepped = (table, update) => table.#step(update);
    ended = (table, error) => table.#end(error);
  }

  constructor(player) {
    super();
    this.#player = player;
  }

  // --- requests ---

  act(command) {
    return this.#cause("act", { command });
  }

  say(text, to) {
    return this.#cause("say", given({ text, to }));
  }

  fill() {
    return this.#cause("fill");
  }

  /** The step that a request causes. An `ack` stands for a step that a whole view has replaced. */
  async #cause(kind, fields) {
    const answer = await this.#player.request(kind, { room: this.room, ...fields });
    await this.#catchUp().catch(() => {}); // the request was carried out, whatever happens to the view
    return answer.type === "ack" ? { ...answer, by: this.seat, events: [], reason: "trimmed" } : answer;
  }

  /**
   * Asks for the view if updates were missed: these carry none, and the one that the server sends behind them may be
   * lost with its connection.
   */
  async #catchUp() {
    if (this.wants.includes("view") && !this.#left && this.view?.offset < this.position.offset) await this.refresh();
  }

  async refresh() {
    const { room, wants, key } = this;
    await this.#player.request("view", given({ room, wants, key: key || undefined }));
    return this.view;
  }

  rematch() {
    return this.#player.request("rematch", { room: this.room, wants: this.wants });
  }

  async leave() {
    await this.#player.request("leave", { room: this.room });
  }

  // --- reading ---

  async myTurn() {
    for (;;) {
      await this.#catchUp();
      if (this.over) break;
      if (this.options.length || (this.wants.includes("view") && this.view.turn?.includes(this.seat))) return true;
      await this.#change();
    }
    this.#raise();
    return false;
  }

  async *updates({ untilLeft = false } = {}) {
    if (this.#reading) throw new Error("the updates of a table can be read by one loop at a time");
    this.#reading = true;
    try {
      for (;;) {
        if (this.#overrun) await this.refresh();
        while (this.#unread.length) yield this.#unread.shift();
        if (this.#overrun) continue;
        if (this.#left || (this.over && !untilLeft)) break;
        await this.#change();
      }
      await this.#catchUp();
      this.#raise();
    } finally {
      this.#reading = false;
    }
  }

  #change() {
    this.#raise();
    return new Promise((wake) => this.#waiters.push(wake));
  }

  #raise() {
    if (this.#error) throw this.#error;
  }

  // --- what comes ---

  /** A whole view was received, or the answer to `resume`, which has none. */
  #attach(message, { room, seat, wants, key }) {
    const { epoch, offset, view } = message;
    Object.assign(this, { room, seat, wants, key });
    if (view) this.#replace(message);
    else if (!this.view) this.position = { epoch, offset };
    this.#notify();
  }

  #replace({ room, epoch, offset, view, reason: why }) {
    const again = this.view && offset > this.position.offset;
    const reason = why || (this.#overrun ? "unread" : again ? "entered" : "");
    this.view = view;
    this.entered ??= view;
    this.position = { epoch, offset };
    this.options = view.options ?? [];
    this.chat = view.chat ?? [];
    this.over = view.status === "finished" || view.status === "closed";
    if (reason === "rewound" || reason === "unread") this.#unread = [];
    this.#overrun = false;
    if (reason) this.#keep({ room, epoch, offset, events: [], view, options: this.options, reason });
    emit(this, "view", { view, reason });
  }

  #step(update) {
    const { epoch, offset, view, options = [], events } = update;
    this.position = { epoch, offset };
    this.view = view ?? this.view;
    if (this.wants.includes("options")) this.options = options;
    const said = events.filter(({ type }) => type === "room.said");
    if (said.length) this.chat = [...this.chat, ...said].slice(-MOST_CHAT);
    if (events.some(({ type }) => type === "room.ended" || type === "room.closed")) this.over = true;
    this.#keep(update);
    this.#notify();
    emit(this, "update", update);
  }

  #keep(update) {
    if (this.#unread.length >= MOST_UPDATES) {
      this.#unread = [];
      this.#overrun = true;
    }
    if (!this.#overrun) this.#unread.push(update);
  }

  #end(error) {
    this.over = this.#left = true;
    this.#error ??= error;
    this.#notify();
    emit(this, "end", error);
  }

  #notify() {
    for (const wake of this.#waiters.splice(0)) wake();
  }
}

// --- the session ---

/** Begins a session at a gateway, or at the first of several that answers. */
export async function connect(url, options) {
  const player = new Player(url, options);
  await player.ready;
  return player;
}

/** One session. It begins to connect at once. */
export class Player extends Emitter {
  #urls;
  #turn = 0;
  #socketClass;
  #socket = null;
  #patience;
  #outbox;
  /** By number: {room, seat, epoch, offset (the last step received), wants, key, sent, resuming, table}. */
  #rooms = new Map();
  #seats = new Set();
  #settle;
  /** `hello` was sent and is not answered. */
  #greeting = false;
  /** A `hello` with the name was sent on a connection that was lost: this very client may hold the name. */
  #helloLost = false;
  #helloTries = 0;
  #losses = 0;
  /** The time since when no gateway has accepted the session. */
  #waitingSince = now();
  #timer = 0;
  #timerAt = Infinity;
  #times = { reconnect: Infinity, accept: Infinity, hello: Infinity, ping: Infinity, pong: Infinity };
  name;
  token;
  state = "offline";
  welcome = null;
  error = null;

  constructor(url, { name = "", token = "", patienceMs = PATIENCE_MS, connectMs = CONNECT_MS, ...options } = {}) {
    super();
    this.#socketClass = options.WebSocket ?? globalThis.WebSocket;
    if (!this.#socketClass)
      throw new TypeError("no WebSocket: use Node.js 22, or 20 with --experimental-websocket, or option WebSocket");
    if (!name && !token) throw new TypeError("give a name for a new session, or the token of an earlier one");
    this.#urls = [url].flat().map(playUrl);
    this.#patience = { first: connectMs, later: patienceMs };
    this.#outbox = new Outbox(this.#rooms, (frame) => this.#send(frame));
    Object.assign(this, { name, token });
    this.ready = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    this.ready.catch(() => {});
    this.#times.reconnect = now();
    this.#wake();
  }

  get session() {
    return this.welcome?.session ?? "";
  }

  get games() {
    return this.welcome?.games ?? [];
  }

  get seated() {
    return [...this.#seats];
  }

  get tables() {
    return [...this.#rooms.values()].map(({ table }) => table);
  }

  // --- tables ---

  create(game, { seats, wants = WANTS, ...spec } = {}) {
    return this.request("create", given({ game, seats, wants, ...spec }));
  }

  join(room, { key, choice, wants = WANTS } = {}) {
    return this.request("join", given({ room, key, choice, wants }));
  }

  match(game, { seats, options, choice, wants = WANTS } = {}) {
    return this.request("match", given({ game, seats, options, choice, wants }));
  }

  spectate(room, { key, wants = WANTS } = {}) {
    return this.request("spectate", given({ room, key, wants }));
  }

  async resume(room, position, { key, wants = WANTS } = {}) {
    if (!position) return this.request("view", given({ room, key, wants }));
    const { epoch, offset } = position;
    const table = await this.request("resume", given({ room, epoch, offset, key, wants }));
    await table.refresh();
    return table;
  }

  rooms(filters = {}) {
    return this.request("rooms", given(filters));
  }

  /** Makes a request of the protocol and returns its answer: a table, a step, a list or an `ack`. */
  request(kind, fields) {
    const request = new PendingRequest(kind, fields, now() + this.#patience.later);
    const refusal = this.#refusal(request);
    if (refusal) request.reject(refusal);
    else this.#outbox.submit(request);
    this.#wake();
    return request.answer;
  }

  #refusal(request) {
    if (this.error) return this.error;
    if (this.#outbox.unanswered.length >= MOST_REQUESTS)
      return new RequestRefused("client/too_many", `at most ${MOST_REQUESTS} requests can wait for an answer`);
    const bytes = new TextEncoder().encode(request.frame).length + 16; // the id is not known yet
    return bytes > MOST_FRAME_BYTES
      ? new RequestRefused("frame/too_big", `a request has at most ${MOST_FRAME_BYTES} bytes; this one has ${bytes}`)
      : null;
  }

  // --- the end ---

  /** Ends the session: the name is free, and with `forget` the token is invalid. */
  async bye({ forget = false } = {}) {
    const socket = this.#socket;
    if (this.state === "online") {
      this.#send(JSON.stringify(forget ? { type: "bye", forget } : { type: "bye" }));
      await new Promise((done) => {
        const timer = setTimeout(done, GOODBYE_MS);
        socket.onclose = () => done(clearTimeout(timer));
      });
    }
    this.close();
  }

  /** Closes the connection and keeps the session: the token takes it up again, in this or another process. */
  close() {
    this.#end(new SessionEnded("client/closed", "the client was closed"));
  }

  #end(error) {
    if (this.error) return;
    this.#disconnect();
    clearTimeout(this.#timer);
    this.error = error;
    this.#settle.reject(error);
    this.#outbox.failAll(error);
    const rooms = [...this.#rooms.values()];
    this.#rooms.clear();
    this.#become("over");
    for (const { table } of rooms) ended(table, error);
  }

  // --- connections ---

  /** Notices a connection that was lost while the computer slept, and does not wait any longer to reconnect. */
  check() {
    if (this.#times.reconnect < Infinity) this.#times.reconnect = now();
    else if (this.state === "online") this.#ping();
    this.#wake();
  }

  #become(state) {
    if (this.state === state) return;
    this.state = state;
    emit(this, "state", state);
  }

  /** Sets the one timer of the client. A timer that is too early is left as it is: most answers come before it. */
  #wake() {
    const due = Math.min(this.#outbox.due, ...Object.values(this.#times));
    if (due >= this.#timerAt || this.error) return;
    clearTimeout(this.#timer);
    this.#timerAt = due;
    this.#timer = setTimeout(() => this.#tick(), Math.min(LONGEST_TIMER_MS, Math.max(0, due - now())));
  }

  #tick() {
    this.#timerAt = Infinity;
    const isDue = (name) => now() >= this.#times[name];
    if (isDue("reconnect")) this.#open();
    if (isDue("accept") || isDue("pong")) this.#lost(1006, "the gateway does not answer");
    if (isDue("hello")) this.#hello();
    if (isDue("ping")) this.#ping();
    if (now() >= this.#outbox.due) this.#outbox.tick();
    this.#wake();
  }

  get #giveUpAt() {
    return this.#waitingSince + (this.welcome ? this.#patience.later : this.#patience.first);
  }

  #open() {
    this.#times.reconnect = Infinity;
    this.#times.accept = Math.min(now() + CONNECT_MS, this.#giveUpAt);
    this.#become("connecting");
    const socket = new this.#socketClass(this.#urls[this.#turn++ % this.#urls.length]);
    this.#socket = socket;
    socket.onopen = () => this.#hello();
    socket.onmessage = ({ data }) => this.#receive(JSON.parse(data));
    socket.onclose = ({ code, reason }) => this.#lost(code, reason);
  }

  /** Sends a frame, unless the connection is being closed: `#lost` follows then, and what was not answered is repeated. */
  #send(frame) {
    if (this.#socket.readyState === OPEN) this.#socket.send(frame);
  }

  #lost(code, reason) {
    this.#disconnect();
    if (FINAL[code]) return this.#end(new SessionEnded(`close/${code}`, FINAL[code]));
    const delay = reconnectDelay(code, reason, ++this.#losses);
    if (now() + delay > this.#giveUpAt)
      return this.#end(noAnswer(`no gateway has accepted the session; last: ${reason || `close code ${code}`}`));
    this.#times.reconnect = now() + delay;
    this.#become("offline");
    return this.#wake();
  }

  #disconnect() {
    if (this.#socket) {
      this.#socket.onopen = this.#socket.onmessage = this.#socket.onclose = null;
      this.#socket.close();
      this.#socket = null;
    }
    if (this.state === "online") this.#waitingSince = now();
    this.#helloLost ||= this.#greeting && !this.token;
    this.#greeting = false;
    for (const room of this.#rooms.values()) room.resuming = null;
    this.#outbox.disconnect();
    for (const name of Object.keys(this.#times)) this.#times[name] = Infinity;
  }

  #hello() {
    const { name, token } = this;
    this.#greeting = true;
    this.#times.hello = Infinity;
    const who = token ? { token } : { name };
    this.#send(JSON.stringify({ type: "hello", ...who, protocol: PROTOCOL }));
  }

  #ping() {
    this.#times.ping = Infinity;
    this.#times.pong = Math.min(this.#times.pong, now() + PONG_MS);
    this.#send(JSON.stringify({ type: "ping" }));
  }

  // --- what comes ---

  #receive(message) {
    this.#times.pong = Infinity;
    this.#times.ping = now() + SILENT_MS;
    this.#handle(message);
    this.#wake();
  }

  #handle(message) {
    switch (message.type) {
      case "update":
        return this.#onUpdate(message);
      case "ack":
        return this.#onAck(message);
      case "entered":
      case "watching":
      case "view":
        return this.#onView(message);
      case "resumed":
        return this.#onResumed(message);
      case "error":
        return this.#greeting ? this.#onHelloRefused(message) : this.#onError(message);
      case "welcome":
        return this.#onWelcome(message);
      case "rooms":
        return this.#outbox.take(message.id)?.resolve(message);
      case "rooms_changed":
        return emit(this, "rooms_changed", message);
      default: // a newer server may send messages that this client does not know
        return undefined;
    }
  }

  #onWelcome(message) {
    const { name, token, rooms = [] } = message;
    Object.assign(this, { welcome: message, name, token });
    this.#greeting = this.#helloLost = false;
    this.#losses = this.#helloTries = 0;
    this.#times.accept = Infinity;
    this.#outbox.online = true;
    this.#seats = new Set(rooms.filter((room) => !this.#rooms.has(room)));
    for (const room of this.#rooms.values()) {
      this.#resume(room);
      this.#noteSeat(room.table);
    }
    this.#outbox.flush();
    this.#become("online");
    this.#settle.resolve(this);
    emit(this, "welcome", message);
  }

  #onHelloRefused({ code, text }) {
    const again = isBusy(code) || (code === "name/taken" && this.#helloLost);
    if (again && now() < this.#giveUpAt) {
      this.#times.hello = now() + busyDelay(++this.#helloTries);
      this.#times.accept = this.#times.hello + CONNECT_MS;
      return;
    }
    const advice = code === "protocol/version" ? `; this client speaks ${PROTOCOL}; ${UPDATE_CLIENT}` : "";
    this.#end(new (this.welcome ? SessionEnded : RequestRefused)(code, text + advice));
  }

  #onError({ id, code, text, room: number }) {
    if (id === undefined) {
      const lost = code === "room/unknown" ? this.#rooms.get(number) : undefined;
      if (lost) return this.#forget(lost, new RequestRefused(code, text));
      return isBusy(code) ? this.#outbox.waitAll() : emit(this, "complaint", { code, text });
    }
    const request = this.#outbox.take(id);
    if (!request) return this.#outbox.wasAbandoned(id);
    if (isBusy(code)) return this.#outbox.wait(request);
    if (code === "command/too_old" && this.#outbox.renew(request)) return undefined;
    const error = new RequestRefused(code, text);
    request.reject(error);
    const room = this.#rooms.get(request.room);
    if (room && room.resuming === request) this.#forget(room, error);
    return this.#outbox.flush();
  }

  // --- rooms ---

  /** Asks for the updates after the last one that was received. */
  #resume(room) {
    const { epoch, offset, wants, key } = room;
    const fields = given({ room: room.room, epoch, offset, wants, key: key || undefined });
    room.resuming = new PendingRequest("resume", fields, Infinity, true);
    this.#outbox.send(room.resuming);
  }

  #onResumed(message) {
    const request = this.#outbox.take(message.id);
    if (!request) return;
    // The program may resume a room that an earlier run of the session was in.
    const room = this.#rooms.get(message.room) ?? this.#attach(message, request);
    Object.assign(room, { seat: message.seat ?? null, key: message.key ?? room.key, resuming: null });
    attached(room.table, message, room);
    request.resolve(room.table);
    this.#outbox.flush();
  }

  #onUpdate(update) {
    const room = this.#rooms.get(update.room);
    if (!room) return;
    if (update.offset !== room.offset + 1) {
      // A hole, which the server should not leave.
      if (update.offset > room.offset && !room.resuming) this.#resume(room);
      return;
    }
    Object.assign(room, { epoch: update.epoch, offset: update.offset });
    update.events ??= [];
    const request = update.by === room.seat ? this.#outbox.underWay.get(update.id) : undefined;
    stepped(room.table, update);
    this.#noteSeat(room.table);
    const removal = ({ type, reason, seat }) => type === "room.left" && reason === "removed" && seat === room.seat;
    // An operator has taken the seat away: the server sends nothing of the room after that.
    if (update.events.some(removal)) return this.#forget(room, new RequestRefused("room/removed", REMOVED));
    if (!request || request.room !== update.room || !STEPS.has(request.kind)) return;
    this.#outbox.take(update.id).resolve(update);
    this.#outbox.flush();
  }

  #onAck(ack) {
    const request = this.#outbox.underWay.get(ack.id);
    if (!request) return;
    const room = this.#rooms.get(ack.room);
    if (room && STEPS.has(request.kind) && ack.offset > room.offset) {
      request.acked = ack; // the update of the step is on its way, or a view that includes it
      return;
    }
    if (request.kind === "leave" && room) this.#forget(room, null);
    this.#outbox.take(ack.id).resolve(ack);
    this.#outbox.flush();
  }

  #onView(message) {
    const request = this.#outbox.take(message.id);
    if (!request && message.id !== undefined) return this.#onUnwanted(message);
    const room = this.#rooms.get(message.room) ?? (request && this.#attach(message, request));
    if (!room) return undefined;
    Object.assign(room, { seat: message.seat ?? null, key: message.key ?? room.key });
    this.#outbox.lastId = Math.max(this.#outbox.lastId, message.view.last_id ?? 0);
    if (message.reason || message.offset >= room.offset)
      Object.assign(room, { epoch: message.epoch, offset: message.offset });
    if (request) room.wants = request.fields.wants ?? [];
    attached(room.table, message, room);
    this.#noteSeat(room.table);
    request?.resolve(room.table);
    this.#followView(room, message.reason === "rewound");
    return this.#outbox.flush();
  }

  #attach({ room, seat = null, epoch, offset }, { fields: { wants = [], key = "" } }) {
    const attachment = { room, seat, epoch, offset, wants, key, sent: 0, resuming: null, table: new Table(this) };
    this.#rooms.set(room, attachment);
    return attachment;
  }

  #noteSeat({ room, seat, over }) {
    if (seat !== null && !over) this.#seats.add(room);
    else this.#seats.delete(room);
  }

  #forget(room, error) {
    this.#rooms.delete(room.room);
    this.#seats.delete(room.room);
    ended(room.table, error);
  }

  /**
   * Answers the requests whose steps the view includes. If the store has lost its last writes, requests under way may be
   * lost with them, also acknowledged ones: all are sent again, and the room carries out each id once.
   */
  #followView(room, rewound) {
    for (const request of [...this.#outbox.underWay.values()]) {
      if (request.room !== room.room || !STEPS.has(request.kind)) continue;
      if (rewound) this.#outbox.repeat(request);
      else if (request.acked?.offset <= room.offset) this.#outbox.take(request.id).resolve(request.acked);
    }
  }

  /** The answer to a request that was given up: a seat that it took is left again. */
  #onUnwanted({ id, room }) {
    if (this.#outbox.wasAbandoned(id) && !this.#rooms.has(room))
      this.#outbox.submit(new PendingRequest("leave", { room }, Infinity, true));
  }
}
