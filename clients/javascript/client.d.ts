// Types of client.js. The guide is docs/clients/javascript.md; docs/protocols/play.md describes the protocol.

/** A position in the steps of a table: the epoch and offset of one step. */
export interface Position {
  epoch: number;
  offset: number;
}

/** A taken seat in a view. */
export interface SeatedPlayer {
  seat: number;
  name: string;
  bot?: boolean;
  /** The player is connected. */
  here?: boolean;
  /** The player has given up the seat. */
  left?: boolean;
  choice?: Record<string, unknown>;
}

/** An event of the room (`room.joined` and others) or of the game. */
export interface GameEvent {
  type: string;
  [field: string]: any;
}

/** A chat message. `to` is the seat that a private message goes to. */
export interface ChatMessage extends GameEvent {
  type: "room.said";
  seat: number;
  name: string;
  text: string;
  to?: number;
}

/** A command of the game. */
export interface Command {
  type: string;
  [field: string]: any;
}

/** All that this player may know of a table, as of one step. Keys with a default value are absent. */
export interface TableView extends Position {
  room: number;
  status: "waiting" | "playing" | "finished" | "closed";
  /** The parameters that the table was opened with. */
  spec: { game: string; seats: number; options?: Record<string, unknown>; [field: string]: unknown };
  version?: number;
  seats: SeatedPlayer[];
  you?: number;
  last_id?: number;
  /** The seats that may act. */
  turn?: number[];
  chat?: ChatMessage[];
  /** The time at which the turn timer runs out, in milliseconds since 1970. */
  clock_ms?: number;
  /** The game's own view; absent before the start. */
  game?: any;
  options?: Command[];
  outcome?: { winners?: number[]; names?: string[]; reason?: string; scores?: Record<string, number> };
  /** The room of the rematch. */
  rematch?: number;
}

/** Why a whole view replaces everything that was known of a table; empty for a step. */
export type Reason = "" | "trimmed" | "rewound" | "slow" | "unread" | "entered";

/** One step of a table, as this player may see it; or, if it has a `reason`, a whole view. */
export interface TableUpdate extends Position {
  room: number;
  events: GameEvent[];
  /** The time of the step, in milliseconds since 1970. */
  at?: number;
  /** The seat whose request caused the step. */
  by?: number | null;
  id?: number;
  /** Identifies the step in the logs of the cluster. */
  trace?: string;
  view?: TableView;
  options?: Command[];
  reason?: Reason;
}

/** An entry in the list of tables that wait or play. */
export interface ListedTable {
  room: number;
  game: string;
  seats: number;
  status: "waiting" | "playing";
  names?: Record<string, string>;
  /** Number of free seats. */
  free?: number;
  options?: Record<string, unknown>;
  choices?: Record<string, Record<string, unknown>>;
  turn_ms?: number;
  created_ms?: number;
  /** No player may act until another one comes back. */
  paused?: boolean;
  offset?: number;
  /** The version of the game that the table began with. */
  version?: number;
}

export interface TableList {
  rooms: ListedTable[];
  /** There are more tables after the last one of this list. */
  more: boolean;
}

export interface Welcome {
  session: string;
  name: string;
  token: string;
  rooms?: number[];
  games?: string[];
}

/** The parts of updates besides the events: the view after the step, and the commands that the seat may give. */
export type Want = "view" | "options";

export interface ConnectOptions {
  /** The name of a new session. */
  name?: string;
  /** The token of an earlier session, which goes on. */
  token?: string;
  /** How long a request, or a session without a connection, may wait for a gateway: 60,000 ms. */
  patienceMs?: number;
  /** How long to wait for the first connection: 10,000 ms. */
  connectMs?: number;
  /** The class of WebSockets, where there is no global one (Node.js before version 22). */
  WebSocket?: new (url: string) => WebSocket;
}

export interface CreateOptions {
  seats: number;
  options?: Record<string, unknown>;
  private?: boolean;
  spectators?: "open" | "none";
  turn_ms?: number;
  bots?: number;
  wait_ms?: number;
  choice?: Record<string, unknown>;
  wants?: Want[];
}

export interface JoinOptions {
  /** The key of a private table. */
  key?: string;
  choice?: Record<string, unknown>;
  wants?: Want[];
}

export interface MatchOptions {
  seats?: number;
  options?: Record<string, unknown>;
  choice?: Record<string, unknown>;
  wants?: Want[];
}

export interface SpectateOptions {
  key?: string;
  wants?: Want[];
}

export interface ListOptions {
  game?: string;
  status?: "waiting" | "playing" | "";
  seats?: number;
  limit?: number;
  /** The number of the last table of the page before. */
  after?: number;
  /** Emit `rooms_changed` whenever a table of the filter changes, until the next call or the next connection. */
  live?: boolean;
}

/** Base of all errors of the client. */
export class ClientError extends Error {
  /** A code of docs/protocols/errors.md, `close/<number>` after a WebSocket was closed, or `client/...`. */
  code: string;
  /** The request may have been carried out: connect with the token and read the view before you repeat it. */
  uncertain: boolean;
}

/** The cluster refused a request, and nothing was changed. */
export class RequestRefused extends ClientError {}

/** No gateway has answered for as long as the client was to be patient. */
export class NoAnswer extends ClientError {}

/** The session cannot go on: it was closed, opened in another place, or refused. */
export class SessionEnded extends ClientError {}

/** A table where the player has a seat, or that it watches. */
export class Table {
  private constructor();
  /** The number of the table. Other players join with it. */
  readonly room: number;
  /** The seat of this player; null for a spectator. */
  readonly seat: number | null;
  /** The key of a private table, which other players need in addition to its number. */
  readonly key: string;
  /** The last step that was received: `Player.resume` continues after it. */
  readonly position: Position;
  /** The last view that was received. */
  readonly view: TableView;
  /** The view that the table was entered with; `updates` begins with the step after it. */
  readonly entered: TableView;
  /** The commands that this seat may give now. */
  readonly options: Command[];
  /** The last 500 chat messages. */
  readonly chat: ChatMessage[];
  /** The game is finished, or the table is closed or left. */
  readonly over: boolean;
  readonly wants: Want[];

  /** Gives a command of the game. When it resolves, the command was carried out exactly once and `view` includes it. */
  act(command: Command): Promise<TableUpdate>;
  /** Sends a chat message to all, or to the player with the name `to`. */
  say(text: string, to?: string): Promise<TableUpdate>;
  /** Lets bots take the free seats, so that the game starts. Only the player with the lowest seat may. */
  fill(): Promise<TableUpdate>;
  /** Asks for the present view. */
  refresh(): Promise<TableView>;
  /** Plays again with the same players, at a new table. */
  rematch(): Promise<Table>;
  /** Gives up the seat, or stops watching. */
  leave(): Promise<void>;
  /** Waits until this seat may act; false as soon as the game is over. */
  myTurn(): Promise<boolean>;
  /** Every step after the view that the table was entered with: in order, each once, without a hole. */
  updates(options?: { untilLeft?: boolean }): AsyncGenerator<TableUpdate, void>;

  /** A step was received. */
  on(name: "update", listener: (update: TableUpdate) => void): () => void;
  /** A whole view was received; with a reason, it replaces everything that was known. */
  on(name: "view", listener: (message: { view: TableView; reason: Reason }) => void): () => void;
  /** The table is not followed any more; the error is null after `leave`. */
  on(name: "end", listener: (error: ClientError | null) => void): () => void;
}

/** One session. It begins to connect at once, and reconnects by itself. */
export class Player {
  constructor(url: string | string[], options: ConnectOptions);
  /** Resolves when a gateway has accepted the session; rejects if it ends before. */
  readonly ready: Promise<Player>;
  /** `over`: the session has ended with `error`. */
  readonly state: "offline" | "connecting" | "online" | "over";
  readonly error: ClientError | null;
  /** The last answer to `hello`. */
  readonly welcome: Welcome | null;
  /** The name that other players see. */
  readonly name: string;
  /** The right to take up this session again, also in another place. Keep it secret. */
  readonly token: string;
  /** The identity that the seats belong to. */
  readonly session: string;
  /** The games that the cluster offers. */
  readonly games: string[];
  /** The tables where the session has a seat and whose game is not over. */
  readonly seated: number[];
  /** The tables that are followed. */
  readonly tables: Table[];

  /** Opens a table and takes its first seat. */
  create(game: string, options: CreateOptions): Promise<Table>;
  /** Takes a seat at a table. */
  join(room: number, options?: JoinOptions): Promise<Table>;
  /** Takes a seat at the oldest public table that waits and fits, or at a new one. */
  match(game: string, options?: MatchOptions): Promise<Table>;
  /** Follows a table: from the own seat if there is one, else as a spectator. */
  spectate(room: number, options?: SpectateOptions): Promise<Table>;
  /** Enters a table again where an earlier run of this session has a seat, after the position that it had reached. */
  resume(room: number, position?: Position, options?: SpectateOptions): Promise<Table>;
  /** The public tables that wait or play, oldest first. */
  rooms(filters?: ListOptions): Promise<TableList>;
  /** Makes any request of the protocol, exactly once. */
  request(kind: string, fields: Record<string, unknown>): Promise<unknown>;

  /** Tests the connection, or reconnects, at once: for a page that is shown again, or a computer that wakes up. */
  check(): void;
  /** Ends the session. Its name is free; with `forget`, its token is invalid. */
  bye(options?: { forget?: boolean }): Promise<void>;
  /** Closes the connection and keeps the session: its token takes it up again. */
  close(): void;

  on(name: "state", listener: (state: Player["state"]) => void): () => void;
  /** A gateway has accepted the session, for the first time or again. */
  on(name: "welcome", listener: (welcome: Welcome) => void): () => void;
  /** Tables of a list with `live` have changed, or are over or do not match any more. */
  on(name: "rooms_changed", listener: (change: { changed: ListedTable[]; gone: number[] }) => void): () => void;
  /** The server sent an error that answers no request. */
  on(name: "complaint", listener: (error: { code: string; text: string }) => void): () => void;
}

/** Begins a session at a gateway, or at the first of several that answers. */
export function connect(url: string | string[], options: ConnectOptions): Promise<Player>;
