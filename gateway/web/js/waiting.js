// A table that waits for players: an invitation for guests, and a link to share for those who have a seat.

import { button, h } from "./dom.js";
import { listed, specWords } from "./words.js";

const humans = (room) => room.seats.filter((seat) => !seat.bot);

/** `table` has the room's actions: join(name), fill(), copyLink(), openRules(); and `link`. */
export function waiting(app, room, table) {
  const free = room.spec.seats - room.seats.length;
  const game = app.title(room.spec.game);
  const facts = h("ul", { class: "facts" }, ...specWords(room.spec).map((text) => h("li", {}, text)));
  return room.you === undefined
    ? invitation(app, room, table, game, facts, free)
    : h(
        "div",
        { class: "waiting" },
        h("h2", {}, free === 1 ? "One seat is free" : `${free} seats are free`),
        facts,
        h("p", {}, "The game begins when all seats are taken. Send this link to the people you want to play with:"),
        h(
          "div",
          { class: "row wrap centered" },
          h("code", { class: "share" }, table.link),
          button("Copy link", table.copyLink, { class: "small" }),
        ),
        room.you === room.seats[0].seat
          ? h(
              "div",
              { class: "row wrap centered" },
              h("span", { class: "quiet" }, "Nobody there?"),
              button("Fill with bots", table.fill, { id: "fill" }),
            )
          : h("p", { class: "quiet" }, `${room.seats[0].name} can also fill the table with bots.`),
      );
}

function invitation(app, room, table, game, facts, free) {
  const hosts = humans(room).map((seat) => seat.name);
  const open = room.status === "waiting" && free > 0;
  const name = h("input", {
    value: app.identity.name,
    maxlength: 32,
    required: true,
    autocomplete: "nickname",
    id: "guest-name",
  });
  const sit = (event) => {
    event.preventDefault();
    table.join(name.value.trim());
  };
  return h(
    "div",
    { class: "waiting invitation" },
    h("h2", {}, `${listed(hosts)} ${hosts.length > 1 ? "invite" : "invites"} you to ${game}`),
    facts,
    open &&
      h(
        "form",
        { class: "sit", onsubmit: sit },
        h("label", { class: "field" }, h("span", {}, "Your name"), name),
        h("button", { class: "primary", id: "sit" }, "Take a seat"),
      ),
    !open && h("p", { class: "quiet" }, "All seats are taken. You are watching."),
    button(`How is ${game} played?`, table.openRules, { class: "link" }),
  );
}
