// The faces of the cards of Codex Naturalis, by number, in the notation of shared/games/codex/data.

const LETTERS = {
  F: "fungi",
  P: "plant",
  A: "animal",
  I: "insect",
  Q: "quill",
  K: "inkwell",
  M: "manuscript",
  ".": "empty",
  "-": "missing",
};

const RESOURCE = {
  fungi: "F.F- FF-. .-FF -F.F -QPF KF-A FIM. .F.-+ F-..+ -.F.+",
  plant: "P.P- PP-. .-PP -P.P -IQP FP-K M-PA ..P-+ ..-P+ -P..+",
  animal: "AA.- -.AA A-A. .A-A -IKA PA-M Q-AF -.A.+ .-.A+ .A.-+",
  insect: "II.- -.II I-I. .I-I -QAI MI-F IPK- I-..+ ..-I+ -I..+",
};
const GOLD = {
  fungi:
    "-..Q 1/Q FFA|.K-. 1/K FFP|M..- 1/M FFI|..-. 2/c FFFA|...- 2/c FFFP|.-.. 2/c FFFI|.-K- 3 FFF|Q.-- 3 FFF|-M-. 3 FFF|.-.- 5 FFFFF",
  plant:
    "Q..- 1/Q PPI|.M-. 1/M PPF|.-K. 1/K PPA|-... 2/c PPPI|...- 2/c PPPA|.-.. 2/c PPPF|.-Q- 3 PPP|M.-- 3 PPP|-K-. 3 PPP|..-- 5 PPPPP",
  animal:
    "K..- 1/K AAI|-..M 1/M AAP|.-Q. 1/Q AAF|..-. 2/c AAAI|.-.. 2/c AAAF|-... 2/c AAAP|.-M- 3 AAA|.K-- 3 AAA|-.-Q 3 AAA|-.-. 5 AAAAA",
  insect:
    ".Q-. 1/Q IIP|.-M. 1/M IIA|-..K 1/K IIF|..-. 2/c IIIA|...- 2/c IIIP|.-.. 2/c IIIF|K-.- 3 III|.M-- 3 III|--Q. 3 III|..-- 5 IIIII",
};
const STARTING = "FPIA .PI. I|PAFI A..F F|IAFP .... FP|PIAF .... AI|IFPA ..-- PAI|FAPI ..-- FPA";
const PATTERNS =
  "2 ..F/.F./F..|2 P../.P./..P|2 ..A/.A./A..|2 I../.I./..I|3 F./../F./.P|3 .P/../.P/I.|3 .F/A./../A.|3 A./.I/../.I";
const SETS = "2 FFF|2 PPP|2 AAA|2 III|3 QKM|2 MM|2 KK|2 QQ";

const words = (letters) => [...letters].map((letter) => LETTERS[letter]);
const back = (kingdom) => ({ corners: words("...."), centre: [kingdom] });

function* resources() {
  for (const [kingdom, row] of Object.entries(RESOURCE)) {
    for (const text of row.split(" ")) {
      yield {
        kind: "resource",
        kingdom,
        points: text.length - 4,
        front: { corners: words(text.slice(0, 4)), centre: [] },
        back: back(kingdom),
        cost: [],
      };
    }
  }
}

function* golds() {
  for (const [kingdom, rows] of Object.entries(GOLD)) {
    for (const row of rows.split("|")) {
      const [corners, worth, cost] = row.split(" ");
      const [points, per] = worth.split("/");
      yield {
        kind: "gold",
        kingdom,
        points: Number(points),
        per: per === "c" ? "corner" : per && LETTERS[per],
        front: { corners: words(corners), centre: [] },
        back: back(kingdom),
        cost: words(cost),
      };
    }
  }
}

function* startings() {
  for (const row of STARTING.split("|")) {
    const [front, behind, centre] = row.split(" ");
    yield {
      kind: "starting",
      kingdom: null,
      points: 0,
      front: { corners: words(front), centre: [] },
      back: { corners: words(behind), centre: words(centre) },
      cost: [],
    };
  }
}

function* objectives() {
  for (const row of PATTERNS.split("|")) {
    const [points, drawing] = row.split(" ");
    const cells = drawing
      .split("/")
      .flatMap((line, y) =>
        [...line].flatMap((letter, x) => (letter === "." ? [] : [{ kingdom: LETTERS[letter], x, y }])),
      );
    yield { kind: "objective", points: Number(points), pattern: cells };
  }
  for (const row of SETS.split("|")) {
    const [points, letters] = row.split(" ");
    yield { kind: "objective", points: Number(points), symbols: words(letters) };
  }
}

export const CARDS = new Map(
  [...resources(), ...golds(), ...startings(), ...objectives()].map((card, index) => [
    index + 1,
    { id: index + 1, ...card },
  ]),
);

const counted = (symbols) =>
  [...new Set(symbols)].map((symbol) => `${symbols.filter((one) => one === symbol).length} ${symbol}`).join(", ");
const PLACES = ["top left", "top right", "bottom left", "bottom right"];

/** A side of a card in words. */
export function sideInWords(card, face) {
  const side = card[face];
  const corners = side.corners
    .map((corner, place) => (corner === "missing" ? "" : `${PLACES[place]} ${corner}`))
    .filter(Boolean);
  const worth =
    face === "front" && card.points
      ? `${card.points} point${card.points > 1 ? "s" : ""}${card.per ? ` per ${card.per}` : ""}`
      : "";
  const cost = face === "front" && card.cost.length ? `needs ${counted(card.cost)}` : "";
  const centre = side.centre.length ? `centre ${side.centre.join(", ")}` : "";
  return [`${card.kingdom ?? ""} ${card.kind} card, ${face}`.trim(), worth, cost, centre, ...corners]
    .filter(Boolean)
    .join("; ");
}

const COLUMNS = ["left", "middle", "right"];

function patternInWords(cells) {
  const last = Math.max(...cells.map((cell) => cell.x));
  const column = (x) => COLUMNS[last === 1 ? x * 2 : x];
  return `pattern from top to bottom: ${cells.map(({ kingdom, x }) => `${kingdom} ${column(x)}`).join(", ")}`;
}

export const objectiveInWords = ({ points, symbols, pattern }) =>
  `${points} points for each ${symbols ? `set of ${counted(symbols)}` : patternInWords(pattern)}`;

const CORNER_AT = [
  [1, 1],
  [1, -1],
  [-1, 1],
  [-1, -1],
];

/** The corners that a card at row `i`, column `j` would cover, in words. */
export function coveredInWords(area, i, j) {
  return CORNER_AT.map(([down, right], corner) => [
    area.find((one) => one.i === i + down && one.j === j + right),
    corner,
  ])
    .filter(([placed]) => placed)
    .map(([placed, corner]) => {
      const printed = CARDS.get(placed.card);
      const sign = printed[placed.face].corners[corner];
      return `the ${PLACES[corner]} corner${sign === "empty" ? "" : ` (${sign})`} of the ${printed.kingdom ?? "starting"} card`;
    })
    .join(" and ");
}
