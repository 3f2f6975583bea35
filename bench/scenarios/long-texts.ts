import { once } from "node:events";
import { connect } from "node:net";
import { bytesOf, type LongText, longTexts } from "../../harness/long-texts.ts";
import { rowOf } from "../figures.ts";
import { API_KEY, filled, SESSION_TOKEN } from "../load/requests.ts";
import type { Scenario } from "../scenario.ts";
import { startFilledKurs } from "../stores/kurs.ts";

/** As long as a text may be where nothing of it is read. */
const BEYOND_BYTES = 15_000;

/** A request must not keep the others waiting for longer than this. */
const MORE_MS_MAX = 10;

export const slowTexts: Scenario = {
  name: "long-texts",
  summary: "the slowest texts of clients, each compared with as many letters",
  async run(bench) {
    const environment = { TRUST_PROXY: "loopback" };
    const { server } = await startFilledKurs(bench, "data", { environment });
    const picked = { account: 0, pair: 0 };
    const [apiKey, session] = [filled(API_KEY, picked), filled(SESSION_TOKEN, picked)];
    const rows = [];
    for (const { name, text, row } of longTexts.flatMap(measured)) {
      const times = { slowest: [] as number[], letters: [] as number[] };
      for (let call = 0; call < bench.options.calls / 10; call += 1) {
        const texts = { slowest: text, letters: "a".repeat(text.length) };
        for (const kind of ["slowest", "letters"] as const) {
          const bytes = bytesOf(row, texts[kind], { apiKey, session });
          times[kind].push(await timeRequest(server.url, bytes));
        }
      }
      const [slowestMs, lettersMs] = [Math.min(...times.slowest), Math.min(...times.letters)];
      rows.push(rowOf(name, [{ slowestMs, lettersMs, ratio: slowestMs / lettersMs }]));
    }
    const failures = rows
      .filter(
        ({ figures: { slowestMs = 0, lettersMs = 0 } }) => slowestMs - lettersMs > MORE_MS_MAX,
      )
      .map(({ name }) => `${name}: takes ${MORE_MS_MAX} ms more than as many letters`);
    const title = "requests in turn, each on a connection of its own: the shortest times";
    return { tables: [{ title, rows }], failures };
  },
};

/** The longest text that is read; and a longer one, which another limit of the place rejects. */
function measured(row: LongText) {
  const { place, bound, slowest, statuses } = row;
  const longest = { name: place, text: slowest(bound), row };
  if (statuses[1] === 413 || bound > BEYOND_BYTES / 2) return [longest];
  return [longest, { name: `${place}, beyond`, text: slowest(BEYOND_BYTES), row }];
}

/** @returns the milliseconds to the first bytes of the response. */
async function timeRequest(url: string, bytes: string): Promise<number> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  await once(socket, "connect");
  const startMs = performance.now();
  socket.write(bytes, "latin1");
  await once(socket, "data");
  const tookMs = performance.now() - startMs;
  socket.destroy();
  return tookMs;
}
