import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Figures, rowOf } from "../figures.ts";
import { filledRequest, usageRequest } from "../load/requests.ts";
import type { Scenario } from "../scenario.ts";
import { type FilledKurs, kursTarget, startFilledKurs } from "../stores/kurs.ts";

const PAIRS = 100_000;

/** Between two lists: without a pause, reading them would take a core from the server. */
const PAUSE_MS = 1000;

export const pairs: Scenario = {
  name: "pairs",
  summary: "GET /v1/account/pairs of 100,000 pairs, alone and during reads",
  async run(bench) {
    const counts = { accounts: bench.options.accounts, pairs: PAIRS };
    const kurs = await startFilledKurs(bench, "data", counts);
    const changed: Figures[] = [];
    const kept: Figures[] = [];
    for (let round = 0; round < 5 * bench.options.rounds; round += 1) {
      countChange(kurs);
      changed.push({ listMs: await listMs(kurs) });
      kept.push({ listMs: await listMs(kurs) });
    }
    const title = "One list of 100,000 pairs, without other requests: medians";
    const rows = [rowOf("after a change", changed), rowOf("kept in memory", kept)];
    const reads = kursTarget("reads alone", kurs);
    const { tables, failures } = await bench.compare({
      connections: [64],
      targets: [
        reads,
        { ...reads, name: "reads, lists kept", startBackground: listing(kurs, false) },
        { ...reads, name: "reads, lists after changes", startBackground: listing(kurs, true) },
      ],
    });
    return { tables: [{ title, rows, notes: [] }, ...tables], failures };
  },
};

/** Lists all pairs again and again during a load. */
function listing(kurs: FilledKurs, isChanged: boolean) {
  return async () => {
    let isOver = false;
    const repeat = async (): Promise<Figures> => {
      const times: number[] = [];
      while (!isOver) {
        if (isChanged) countChange(kurs);
        times.push(await listMs(kurs));
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
      return { listMs: times.toSorted((one, other) => one - other)[times.length >> 1] };
    };
    const repeated = repeat();
    return {
      end() {
        isOver = true;
        return repeated;
      },
    };
  };
}

/** Makes the next list a new one, as a stored rate would. */
function countChange({ dataDirectory }: FilledKurs): void {
  using database = new DatabaseSync(join(dataDirectory, "kurs.db"), { timeout: 5000 });
  database.exec(`
    INSERT INTO versions (name, version) VALUES ('rates', 1)
    ON CONFLICT (name) DO UPDATE SET version = version + 1`);
}

async function listMs({ server }: FilledKurs): Promise<number> {
  const request = { ...usageRequest, path: "/v1/account/pairs" };
  const { path, headers } = filledRequest(request, { account: 0, pair: 0 });
  const startMs = performance.now();
  const response = await fetch(server.url + path, { headers });
  let bytes = 0;
  for await (const part of response.body ?? []) bytes += part.byteLength;
  if (response.status !== 200 || bytes < PAIRS * 100)
    throw new Error(`${response.status} ${bytes}`);
  return performance.now() - startMs;
}
