// Room events and refusals as sentences.

const ENDINGS = {
  last_stone: "the last stone is taken",
  towers: "the last tower is built",
  islands: "three islands are left",
  bag: "the bag is empty",
  assistants: "the assistants are used up",
  alone: "everybody else is gone",
  abandoned: "nobody was left",
  points: "the last round is over",
  won: "the dungeon is beaten",
  lost: "nobody got out of the dungeon",
  deserted: "nobody was left in the dungeon",
};

/** A refusal as a sentence. Rooms of the cluster are tables on the page. */
export function sentence(refusal) {
  const text = (refusal?.message ?? String(refusal)).replaceAll(/\broom\b/g, "table");
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
}

/** Changes a sentence about another player into one about you: the verb needs another form. */
export const grammar = (text) =>
  text
    .replace(/^You is\b/, "You are")
    .replace(/^You was\b/, "You were")
    .replace(/^(You .* and) was\b/, "$1 were");

export const ending = (reason) => ENDINGS[reason] ?? reason.replaceAll("_", " ");

export function listed(names) {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

const youFirst = (one, other) => (other === "You") - (one === "You");

/** A room event as a sentence, or null if it needs no line. `who` names a seat. */
export function describeRoom(event, who) {
  switch (event.type) {
    case "room.opened":
      return "The table was opened.";
    case "room.joined":
      return `${event.name} took a seat${event.bot ? " (a bot)" : ""}.`;
    case "room.left":
      return (
        {
          left: `${event.name} left.`,
          gone: `${event.name} did not come back.`,
          removed: `${event.name} was removed by an operator.`,
        }[event.reason] ?? `${event.name} had to go.`
      );
    case "room.started":
      return "The game begins.";
    case "room.away":
      return `${who(event.seat)} lost the connection.`;
    case "room.back":
      return `${who(event.seat)} is back.`;
    case "room.played":
      return (
        { time: `${who(event.seat)} ran out of time; a bot plays.`, away: `${who(event.seat)} is away; a bot plays.` }[
          event.reason
        ] ?? null
      );
    case "room.shifted":
      return "The cluster was away for a moment; the clocks were put back.";
    case "room.ended":
      return `${listed(event.winners?.length ? event.winners.map(who).sort(youFirst) : ["Nobody"])} won: ${ending(event.reason)}.`;
    case "room.closed":
      return event.reason === "operator" ? "An operator closed the table." : "The table was closed.";
    case "room.rematched":
      return `The next game is at table ${event.room}.`;
    default:
      return null;
  }
}

/** The prompt of a player whose turn it is; `note` is about the turn itself. */
export const yourTurn = (asked, note) => `Your turn${note ? `, ${note}` : ""}: ${asked}`;

export function clockText(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

const span = (ms) => (ms % 60_000 ? `${ms / 1000} s` : `${ms / 60_000} min`);
const OPTIONS = {
  expert: (on) => on && "expert rules: coins and characters",
  stones: (count) => `${count} stones`,
  count: (count) => (count === 1 ? "1 level" : `${count} levels`),
  start: (level) => level > 1 && `from level ${level}`,
  levels: (word) => typeof word === "string" && `dungeon: ${word}`,
  move_time_ms: (ms) => (ms ? `${span(ms)} for a move` : "no limit for a move"),
  whole_level: (on) => on && "spectators see the whole level",
};

/** The spec of a table in words, for those who are invited to it. */
export function specWords({ seats, bots, turn_ms: turn, options = {}, private: hidden, spectators }) {
  return [
    `${seats} player${seats === 1 ? "" : "s"}${bots ? `, ${bots} of them ${bots === 1 ? "a bot" : "bots"}` : ""}`,
    ...Object.entries(options).map(([name, value]) => OPTIONS[name]?.(value)),
    turn ? `${span(turn)} a turn` : "no limit for a turn",
    hidden && "private",
    spectators === "none" && "no spectators",
  ].filter(Boolean);
}
