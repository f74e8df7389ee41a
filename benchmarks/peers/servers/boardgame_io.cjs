// The turn workload on boardgame.io with its default storage: memory, and therefore one process.
const { Origins, Server } = require("boardgame.io/server");

const turns = {
  name: "turns",
  setup: () => ({ counter: 0 }),
  moves: {
    advance: ({ G }) => {
      G.counter += 1;
    },
  },
  turn: { minMoves: 1, maxMoves: 1 },
  disableUndo: true, // otherwise every update carries the history of the turn
};

Server({ games: [turns], origins: [Origins.LOCALHOST] }).run(Number(process.env.PORT), () => console.log("listening"));
