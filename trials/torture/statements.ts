import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "../../test/support/client.ts";
import { kurs, temporaryDirectory } from "../../test/support/process.ts";
import { blocksOf } from "../documents/blocks.ts";
import { type AccountEntry, today } from "../support/ledger.ts";
import { Findings } from "../support/ledger-audit.ts";
import { Violation } from "./event-log.ts";
import type { Round } from "./round.ts";

/** How the document verifies a statement that was kept, with OpenSSL alone. */
const VERIFY =
  blocksOf("docs/proof.md").find(({ text }) => text.includes("\nopenssl pkeyutl"))?.text ??
  "exit 2";

/** Holds an account's statement of this month against an audited ledger, and verifies it. */
export async function auditStatement(
  client: Client,
  { email, keys }: AccountEntry,
  session: string,
  findings: Findings,
): Promise<void> {
  const period = today().slice(0, 7);
  const { status, text, headers } = await client.get(`/v1/account/statements/${period}`, {
    session,
  });
  if (status !== 200) return findings.complain(`${email}: statement ${status} ${text}`);
  const statement = JSON.parse(text) as {
    readonly closing_units: number;
    readonly api_keys: readonly {
      readonly id: string;
      readonly days: readonly { readonly date: string; readonly units: number }[];
    }[];
  };
  const stated = statement.api_keys.flatMap(({ id, days }) =>
    days.map(({ date, units }) => `${id} ${date} ${units}`),
  );
  const charged = keys.flatMap(({ id, days }) =>
    [...days].map(([date, { charged: units }]) => ({ id, date, units })),
  );
  const lines = charged
    .filter(({ date, units }) => units > 0 && date.startsWith(period))
    .map(({ id, date, units }) => `${id} ${date} ${units}`);
  if (String(stated) !== String(lines.sort())) {
    findings.lose(`${email}: the statement has ${stated}, and the ledger ${lines}`);
  }
  const sum = charged.reduce((units, day) => units + day.units, 0);
  if (statement.closing_units !== sum) {
    findings.lose(`${email}: the statement closes with ${statement.closing_units}, not ${sum}`);
  }
  await using directory = await temporaryDirectory();
  const write = (name: string, content: string) => writeFile(join(directory.path, name), content);
  await write("headers.txt", `statement-signature: ${headers["statement-signature"]}\r\n`);
  await write("statement.json", text);
  await write("jwks.json", (await client.get("/.well-known/jwks.json")).text);
  const ended = spawnSync("sh", ["-euc", VERIFY], { cwd: directory.path, encoding: "utf8" });
  if (ended.stdout !== "Signature Verified Successfully\n") {
    findings.complain(`${email}: the statement is not verified: ${ended.stdout}${ended.stderr}`);
  }
}

/**
 * Backs up an audited store, charges further reads, revokes their key, kills the server and restores
 * the backup: the statements are those of the ledger again.
 */
export async function auditRestore({ store, nodes, ledger, story, counts }: Round) {
  const [node] = nodes.all();
  const readers = ledger.readers.slice(0, 3);
  const key = readers[0]?.keys.find(({ revocation }) => revocation === "none");
  if (node === undefined || key === undefined) throw new Error("nothing to restore");
  const file = join(store.dataDirectory, "restored.db");
  const run = async (...args: string[]) => {
    const { exitCode, stderr } = await kurs(args, store);
    if (exitCode !== 0) throw new Violation(`${args.join(" ")} ended with ${exitCode}: ${stderr}`);
  };
  const logIn = async (client: Client, { email, password }: AccountEntry) =>
    String((await client.post("/v1/auth/login", { json: { email, password } })).body.session_token);
  await run("backup", file);
  for (let read = 0; read < 3; read += 1) await node.server.readRate("EUR/USD", key.apiKey);
  await node.server.revokeKey(await logIn(node.server, key.owner), key.id);
  await nodes.end({ node: 0, afterAnswers: 0, askedMsBefore: undefined, killedStarts: [] }, story);
  await run("restore", file);
  const { server } = await nodes.start(0, { story });
  const findings = new Findings();
  for (const reader of readers) {
    await auditStatement(server, reader, await logIn(server, reader), findings);
    counts.add("statements after a restore");
  }
  return findings;
}
