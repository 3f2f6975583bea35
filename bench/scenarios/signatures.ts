import { generateKeyPairSync } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cpuMicrosOf } from "../processes.ts";
import type { Target } from "../round.ts";
import type { Bench, Scenario } from "../scenario.ts";
import { kursTarget, startFilledKurs } from "../stores/kurs.ts";
import { startPostgresKurs } from "../stores/postgres.ts";

export const signatures: Scenario = {
  name: "signatures",
  summary: "the cost of signed rates for a metered read, on both engines",
  async run(bench) {
    const keyFile = join(bench.directory, "signing-key.pem");
    const { privateKey } = generateKeyPairSync("ed25519");
    await writeFile(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
    const key = { SIGNING_KEY_FILE: keyFile };
    const plain = await startFilledKurs(bench, "plain");
    const signed = await startFilledKurs(bench, "signed", { environment: key });
    const names = ["SQLite", "SQLite, signed", "PostgreSQL", "PostgreSQL, signed"] as const;
    return bench.compare({
      connections: [64],
      targets: [
        kursTarget(names[0], plain),
        kursTarget(names[1], signed),
        await postgresTarget(bench, names[2]),
        await postgresTarget(bench, names[3], key),
      ],
      ratios: [
        [names[1], names[0]],
        [names[3], names[2]],
      ],
    });
  },
};

/** A node on a PostgreSQL of its own. */
async function postgresTarget(bench: Bench, name: string, environment = {}): Promise<Target> {
  const kurs = await startPostgresKurs(bench, name, { environment });
  const { pid } = kurs.database;
  const readCounters = async () => ({ postgresMicros: await cpuMicrosOf(pid) });
  return { ...kursTarget(name, kurs), readCounters };
}
