import { hold } from "../comparison.ts";
import type { Company } from "../round.ts";
import type { Scenario } from "../scenario.ts";
import { emailOf, PASSWORD } from "../stores/fill.ts";
import { readsOf, startFilledKurs } from "../stores/kurs.ts";

/** More than can be hashed at once, so that one always waits. */
const LOG_INS_AT_ONCE = 8;

export const logIns: Scenario = {
  name: "log-ins",
  summary: "metered reads beside log-ins at full rate, beside reads alone",
  async run(bench) {
    const kurs = await startFilledKurs(bench, "data");
    const { accounts } = kurs.counts;
    return hold(bench, {
      connections: [64],
      contestants: [
        readsOf("reads alone", kurs),
        {
          ...readsOf("reads beside log-ins", kurs),
          company: async () => keepLoggingIn(kurs.server.url, accounts),
        },
      ],
    });
  },
};

function keepLoggingIn(url: string, accounts: number): Company {
  const startedMs = performance.now();
  let stopping = false;
  let logIns = 0;
  const loop = async () => {
    while (!stopping) {
      const email = emailOf(Math.floor(Math.random() * accounts));
      const answer = await fetch(`${url}/v1/auth/login`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ email, password: PASSWORD }),
      });
      if (!answer.ok) throw new Error(`log-in: ${answer.status} ${await answer.text()}`);
      await answer.body?.cancel();
      logIns += 1;
    }
  };
  const loops = Promise.all(Array.from({ length: LOG_INS_AT_ONCE }, loop));
  // A log-in that fails is told at the end, not by ending this process.
  loops.catch(() => {});
  return {
    async end() {
      stopping = true;
      const seconds = (performance.now() - startedMs) / 1000;
      const logInsPerSecond = logIns / seconds;
      await loops;
      return { logInsPerSecond };
    },
  };
}
