import { setTimeout as sleep } from "node:timers/promises";
import { untilLoadEnds } from "../commands.ts";
import { type Figures, medianOf, rowOf } from "../figures.ts";
import { filledRequest, usageRequest } from "../load/requests.ts";
import type { Scenario } from "../scenario.ts";
import { type FilledKurs, kursTarget, startFilledKurs } from "../stores/kurs.ts";

const PAIRS = 100_000;

/** Between two lists: without a pause, reading them would take a core from the server. */
const PAUSE_MS = 1000;

export const pairs: Scenario = {
  name: "pairs",
  summary: "GET /v1/account/pairs of 100,000 pairs in pages of 1,000, alone and during reads",
  async run(bench) {
    const counts = { accounts: bench.options.accounts, pairs: PAIRS };
    const kurs = await startFilledKurs(bench, "data", { counts });
    const alone: Figures[] = [];
    for (let round = 0; round < 5 * bench.options.rounds; round += 1) {
      alone.push({ listMs: await listMs(kurs) });
    }
    const title = "100,000 pairs in 100 pages, without other requests: medians";
    const rows = [rowOf("all pages", alone)];
    const reads = kursTarget("reads alone", kurs);
    const { tables, failures } = await bench.compare({
      connections: [64],
      targets: [reads, { ...reads, name: "reads, lists", startBackground: listing(kurs) }],
    });
    return { tables: [{ title, rows }, ...tables], failures };
  },
};

/** Lists all pairs again and again during a load. */
function listing(kurs: FilledKurs) {
  return async () =>
    untilLoadEnds(async (isOver) => {
      const times: number[] = [];
      while (!isOver()) {
        times.push(await listMs(kurs));
        await sleep(PAUSE_MS);
      }
      return { listMs: medianOf(times) };
    });
}

async function listMs({ server }: FilledKurs): Promise<number> {
  const startMs = performance.now();
  let count = 0;
  let next: string | null = "";
  while (next !== null) {
    const query = next === "" ? "" : `?after=${next}`;
    const request = { ...usageRequest, path: `/v1/account/pairs${query}` };
    const { path, headers } = filledRequest(request, { account: 0, pair: 0 });
    const response = await fetch(server.url + path, { headers });
    const page = (await response.json()) as { pairs: readonly object[]; next: string | null };
    if (response.status !== 200) throw new Error(`${response.status}`);
    count += page.pairs.length;
    next = page.next;
  }
  if (count < PAIRS) throw new Error(`${count} pairs`);
  return performance.now() - startMs;
}
