import { untilLoadEnds } from "../commands.ts";
import type { Scenario } from "../scenario.ts";
import { emailOf, PASSWORD } from "../stores/fill.ts";
import { kursTarget, startFilledKurs } from "../stores/kurs.ts";

/** More than are hashed at once, so that some always wait. */
const CLIENTS = 8;

export const logIns: Scenario = {
  name: "log-ins",
  summary: "metered reads during continuous log-ins, compared with reads alone",
  async run(bench) {
    const kurs = await startFilledKurs(bench, "data");
    const { accounts } = kurs.counts;
    return bench.compare({
      connections: [64],
      targets: [
        kursTarget("reads alone", kurs),
        {
          ...kursTarget("reads during log-ins", kurs),
          startBackground: async () =>
            untilLoadEnds((isOver) => logInUntil(isOver, kurs.server.url, accounts)),
        },
      ],
    });
  },
};

async function logInUntil(isOver: () => boolean, url: string, accounts: number) {
  const startedMs = performance.now();
  let logIns = 0;
  const logInOn = async () => {
    while (!isOver()) {
      const email = emailOf(Math.floor(Math.random() * accounts));
      const response = await fetch(`${url}/v1/auth/login`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ email, password: PASSWORD }),
      });
      if (!response.ok) throw new Error(`log-in: ${response.status} ${await response.text()}`);
      await response.body?.cancel();
      logIns += 1;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, logInOn));
  return { logInsPerSecond: (logIns / (performance.now() - startedMs)) * 1000 };
}
