import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { importsOf, sourcesIn } from "../architecture/tree.ts";
import { generateTypes, TYPES } from "./types.ts";

const ROOT = join(import.meta.dirname, "../..");
const run = promisify(execFile);

test("the client's types are those of the served document: after a change run write-types.ts", async () => {
  assert.equal(await readFile(TYPES, "utf8"), await generateTypes());
});

test("the client has no dependencies, imports nothing outside itself and nothing of Node.js", async () => {
  const manifest = JSON.parse(await readFile(join(ROOT, "client/package.json"), "utf8")) as object;
  assert.deepEqual(
    Object.keys(manifest).filter((name) => /dependencies/i.test(name)),
    [],
  );
  const outside = sourcesIn("client/src").flatMap((file) =>
    importsOf(file).filter(({ specifier }) => !specifier.startsWith("./")),
  );
  assert.deepEqual(outside, []);
});

const program = `
import { type ClientError, createClient, type ErrorCode, type RateResult, type StaleRate } from "SOURCE";

const kurs = createClient({ url: "http://127.0.0.1:8080" });

export async function explain(): Promise<string> {
  const { data, error } = await kurs.rates.get("EUR", "USD");
  // @ts-expect-error There may be an error instead.
  data.rate;
  if (error === undefined) return data.rate;
  // @ts-expect-error Only one of the errors has it.
  error.limit;
  // @ts-expect-error A code of other operations.
  if (error.code === "email_taken") return "";
  // @ts-expect-error A misspelled code.
  if (error.code === "quota_exceded") return "";
  switch (error.code) {
    case "quota_exceeded":
      return \`\${error.limit} until \${error.reset_at}\`;
    case "invalid_asset_symbol":
    case "invalid_request":
    case "unauthorized":
    case "unsupported_pair":
    case "payload_too_large":
    case "internal_error":
    case "temporarily_unavailable":
      return \`\${error.request_id} \${error.retryAfterSeconds}\`;
    case "client:network":
    case "client:timeout":
    case "client:aborted":
    case "client:response":
      return String(error.cause);
    case "client:stale":
      return \`\${error.rate.as_of}: \${error.missed}\`;
    default:
      // Does not compile while a code is left.
      return error satisfies never;
  }
}

export const isNumber = ({ data }: RateResult): boolean | undefined =>
  // @ts-expect-error A rate is text.
  data && data.rate > 1;

// @ts-expect-error Never both.
export const both = ({ data, error }: RateResult) => data?.rate.length + error?.message.length;

export const logIn: ErrorCode<"logIn"> = "too_many_requests";
export const revoke: ErrorCode<"revokeApiKey"> = "not_found";
// @ts-expect-error A log-in finds no pair.
export const pair: ErrorCode<"logIn"> = "unsupported_pair";
export const rate: ErrorCode<"getRate"> = "client:stale";
// @ts-expect-error A log-in reads no rate.
export const age: ErrorCode<"logIn"> = "client:stale";

// The codes of the service and of the client cannot collide.
type Own = ClientError["code"] | StaleRate["code"];
type Service = Exclude<ErrorCode<"getRate" | "logIn" | "createApiKey">, Own>;
export const collisions: Extract<Service, \`\${string}:\${string}\`> extends never ? true : false = true;
export const kinds: Own extends \`client:\${string}\` ? true : false = true;

export async function account(): Promise<string | undefined> {
  const session = await kurs.logIn("ada@example.org", "correct horse battery");
  if (session.error !== undefined) return session.error.code;
  const { keys, usage } = kurs.account(session.data.session_token);
  // @ts-expect-error A list has no secrets.
  (await keys.list()).data?.api_keys[0]?.api_key;
  const left = (await usage()).data?.usage.remaining_units;
  return \`\${left} \${(await keys.create("billing")).data?.api_key}\`;
}
`;

test("a code that an operation cannot return does not compile, and each one that it can does", async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "kurs-client-types-"));
  const source = join(ROOT, "client/src/index.ts");
  await writeFile(join(directory.path, "program.mts"), program.replace("SOURCE", source));
  const compilerOptions = { types: [], typeRoots: [], lib: ["es2022", "dom"] };
  const project = { extends: join(ROOT, "tsconfig.json"), compilerOptions, include: ["."] };
  await writeFile(join(directory.path, "tsconfig.json"), JSON.stringify(project));
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");

  await run(process.execPath, [compiler, "--project", directory.path]).catch(
    ({ stdout }: { readonly stdout: string }) => assert.fail(stdout),
  );
});
