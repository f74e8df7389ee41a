// The characters of Eriantys, and the game's events as sentences.

import { listed } from "../words.js";

export const CHARACTERS = {
  1: { name: "Monk", cost: 1, text: "Move a student from this card to an island." },
  2: { name: "Farmer", cost: 2, text: "This turn you win professors on a tie as well." },
  3: { name: "Herald", cost: 3, text: "Resolve an island as if mother nature had stopped there." },
  4: { name: "Postman", cost: 1, text: "Mother nature may go two islands further." },
  5: { name: "Herbalist", cost: 2, text: "Put a no-entry tile on an island." },
  6: { name: "Centaur", cost: 3, text: "Towers give no influence this turn." },
  7: { name: "Jester", cost: 1, text: "Swap up to three students of your entrance with this card." },
  8: { name: "Knight", cost: 2, text: "Two more influence for you this turn." },
  9: { name: "Mushroom man", cost: 3, text: "One color gives no influence this turn." },
  10: { name: "Minstrel", cost: 1, text: "Swap up to two students between entrance and dining room." },
  11: { name: "Princess", cost: 2, text: "Move a student from this card to your dining room." },
  12: { name: "Thief", cost: 3, text: "Everybody returns three students of a color to the bag." },
};

const colour = (name) => name.toLowerCase();
const islands = (tiles) => (tiles.length > 1 ? `islands ${listed(tiles.map(String))}` : `island ${tiles[0]}`);
const times = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
const LAST = { bag: "the bag is empty", assistants: "somebody has no assistants left" };

/** The owner of towers: in a game of four, partners have theirs in common. */
function builder({ seat }, who, room) {
  const players = room?.game?.players ?? [];
  if (players.length !== 4) return who(seat);
  const color = players[seat].tower;
  return players[room.you]?.tower === color ? "Your team" : `The ${color.toLowerCase()} team`;
}

const SAYS = {
  clouds_filled: () => "The clouds are filled.",
  last_round_called: (event) => `This is the last round: ${LAST[event.reason] ?? event.reason}.`,
  planning_began: (event) => `Round ${event.round}.`,
  turn_skipped: (event, who) => `${who(event.seat)} is away; the turn is skipped.`,
  assistant_played: (event, who) => `${who(event.seat)} played assistant ${event.value}.`,
  student_to_hall: (event, who) => `${who(event.seat)} seated a ${colour(event.colour)} student in the dining room.`,
  student_to_island: (event, who) =>
    `${who(event.seat)} sent a ${colour(event.colour)} student to island ${event.tile}.`,
  coin_taken: (event, who) => `${who(event.seat)} got a coin.`,
  professor_taken: (event, who) => `${who(event.seat)} won the ${colour(event.colour)} professor.`,
  mother_moved: (event) => `Mother nature went to island ${event.tile}.`,
  no_entry_used: (event) => `Island ${event.tile} was closed; its no-entry tile went back.`,
  no_entry_placed: (event) => `Island ${event.tile} is closed for one visit.`,
  towers_returned: (event, who, room) => `${builder(event, who, room)} got ${times(event.tiles.length, "tower")} back.`,
  towers_placed: (event, who, room) => `${builder(event, who, room)} built on ${islands(event.tiles)}.`,
  groups_joined: () => "Islands joined.",
  cloud_taken: (event, who) => `${who(event.seat)} took cloud ${event.cloud + 1}.`,
  character_played: (event, who) =>
    `${who(event.seat)} paid ${times(event.price, "coin")} for the ${CHARACTERS[event.number].name.toLowerCase()}.`,
  choice_made: (event, who) => (event.colour ? `${who(event.seat)} chose ${colour(event.colour)}.` : null),
  card_to_island: (event) => `A ${colour(event.colour)} student went from the card to island ${event.tile}.`,
  card_to_hall: (event, who) => `${who(event.seat)} seated a ${colour(event.colour)} student from the card.`,
  card_swapped: (event, who) => `${who(event.seat)} swapped ${colour(event.entrance)} for ${colour(event.card)}.`,
  hall_swapped: (event, who) => `${who(event.seat)} swapped ${colour(event.entrance)} and ${colour(event.hall)}.`,
  students_returned: (event, who) =>
    event.count ? `${who(event.seat)} returned ${times(event.count, "student")} to the bag.` : null,
  paused: () => "The game waits for somebody to come back.",
  resumed: () => "The game goes on.",
};

export const describe = (event, who, room) => SAYS[event.type]?.(event, who, room) ?? null;
