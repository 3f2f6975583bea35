// A simulation, not a measurement: how evenly hashing distributes the load of accounts over cells,
// and how many cells a number of reads per second needs. A cell's capacity is an option here; the
// scenario `postgres` measures it. See docs/scaling.md.
import { parseArgs } from "node:util";
import { seededRandom } from "../harness/seeded-random.ts";
import { helpOf } from "./options.ts";

const OPTIONS = {
  reads: { type: "string", default: "1000000", what: "reads per second of all accounts" },
  "cell-reads": { type: "string", default: "15000", what: "reads per second that a cell serves" },
  accounts: { type: "string", default: "100000", what: "accounts" },
  "largest-share": { type: "string", default: "0.005", what: "the largest account's share" },
  pinned: { type: "string", default: "0", what: "largest accounts that are pinned to cells" },
  headroom: { type: "string", default: "0.7", what: "planned load, of a cell's capacity" },
  trials: { type: "string", default: "50", what: "trials for each number of cells" },
  seed: { type: "string", default: "20261121", what: "seed of the random numbers" },
  help: { type: "boolean", default: false, what: "print these options" },
} as const;

const { values } = parseArgs({ options: OPTIONS });
if (values.help) {
  console.log(`usage: npm run bench:cells -- [OPTION…]\n\n${helpOf(OPTIONS)}`);
  process.exit();
}
const readsPerSecond = Number.parseInt(values.reads, 10);
const cellReadsPerSecond = Number.parseInt(values["cell-reads"], 10);
const accounts = Number.parseInt(values.accounts, 10);
const largestShare = Number.parseFloat(values["largest-share"]);
const pinned = Number.parseInt(values.pinned, 10);
const headroom = Number.parseFloat(values.headroom);
const trials = Number.parseInt(values.trials, 10);

/**
 * The reads per second of each account, largest first: a Zipf distribution with the exponent that
 * gives the largest account its share.
 */
function readsOfAccounts(): Float64Array {
  let [low, high] = [0, 3];
  for (let step = 0; step < 60; step += 1) {
    const exponent = (low + high) / 2;
    let sum = 0;
    for (let rank = 1; rank <= accounts; rank += 1) sum += rank ** -exponent;
    if (1 / sum > largestShare) high = exponent;
    else low = exponent;
  }
  const weights = Float64Array.from({ length: accounts }, (_, index) => (index + 1) ** -low);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => (weight / sum) * readsPerSecond);
}

/**
 * The load of the busiest cell: the largest accounts are each pinned to the least loaded cell, and
 * the others go to a random cell, as by a hash.
 */
function busiestCell(reads: Float64Array, cells: number, random: () => number): number {
  const load = new Float64Array(cells);
  for (const rate of reads.subarray(pinned)) {
    const cell = Math.floor(random() * cells);
    load[cell] = (load[cell] ?? 0) + rate;
  }
  for (const rate of reads.subarray(0, pinned)) {
    const cell = load.indexOf(load.reduce((least, other) => Math.min(least, other)));
    load[cell] = (load[cell] ?? 0) + rate;
  }
  return load.reduce((most, rate) => Math.max(most, rate), 0);
}

const reads = readsOfAccounts();
const random = seededRandom(Number.parseInt(values.seed, 10));
const usable = cellReadsPerSecond * headroom;
const [largest = 0] = reads;
console.log(
  `${readsPerSecond} reads/s of ${accounts} accounts, the largest ${largest.toFixed(0)}/s; ` +
    `a cell serves ${cellReadsPerSecond}/s, and is planned for ${usable.toFixed(0)}/s`,
);
if (largest > usable) {
  console.log(
    "the largest account alone exceeds the planned load of a cell: no number of cells is enough",
  );
  process.exit(1);
}
console.log("cells   busiest cell, median   worst of trials   fits");
let fitting: number | undefined;
for (
  let cells = Math.ceil(readsPerSecond / usable);
  fitting === undefined;
  cells = Math.ceil(cells * 1.1)
) {
  const busiest = Array.from({ length: trials }, () => busiestCell(reads, cells, random));
  busiest.sort((left, right) => left - right);
  const [median = 0, worst = 0] = [busiest[trials >> 1], busiest.at(-1)];
  const fits = worst <= usable;
  if (fits) fitting = cells;
  const figures = [
    String(cells).padStart(5),
    median.toFixed(0).padStart(23),
    worst.toFixed(0).padStart(18),
  ];
  console.log(`${figures.join("")}   ${fits ? "yes" : "no"}`);
}
