// A simulation, not a measurement: how evenly hashing distributes the load of accounts over cells,
// and how many cells a number of reads per second needs. A cell's capacity is an option here; the
// scenario `postgres` measures it. See docs/scaling.md.
import { parseArgs } from "node:util";
import { seededRandom } from "../harness/seeded-random.ts";
import { medianOf } from "./figures.ts";

// npm run bench:cells -- --reads 1000000 --cell-reads 15000 --largest-share 0.01 --pinned 10: reads
// per second of all accounts, those that a cell serves, the largest account's share of them, and how
// many of the largest are pinned to cells.
const { values } = parseArgs({
  options: {
    reads: { type: "string", default: "1000000" },
    "cell-reads": { type: "string", default: "15000" },
    "largest-share": { type: "string", default: "0.005" },
    pinned: { type: "string", default: "0" },
  },
});
const readsPerSecond = Number.parseInt(values.reads, 10);
const cellReadsPerSecond = Number.parseInt(values["cell-reads"], 10);
const largestShare = Number.parseFloat(values["largest-share"]);
const pinned = Number.parseInt(values.pinned, 10);
const accounts = 100_000;
/** The planned load of a cell, as a share of its capacity. */
const headroom = 0.7;
/** For each number of cells. */
const trials = 50;

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
const random = seededRandom(20_261_121);
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
  const [median, worst] = [medianOf(busiest), Math.max(...busiest)];
  const fits = worst <= usable;
  if (fits) fitting = cells;
  const figures = [
    String(cells).padStart(5),
    median.toFixed(0).padStart(23),
    worst.toFixed(0).padStart(18),
  ];
  console.log(`${figures.join("")}   ${fits ? "yes" : "no"}`);
}
