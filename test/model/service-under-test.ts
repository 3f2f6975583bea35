import { type Config, readConfig } from "../../src/app/config.ts";
import { createSecrets } from "../../src/platform/shared/secrets.ts";
import { parseDatabaseUrl } from "../../src/platform/storage/settings.ts";
import { sourceNames } from "../../src/rates/sources/fetching/registry.ts";
import { kurs } from "../support/command-line.ts";
import type { OpenApiDocument } from "../support/openapi.ts";
import { patientServer } from "../support/patience.ts";
import { temporaryDirectory } from "../support/process.ts";
import { startService, TestClock } from "../support/service.ts";
import type { Operated, Stage } from "./story-client.ts";

/** The service on which stories are played, one after the other. */
export interface Theatre extends AsyncDisposable {
  readonly clock: TestClock;
  readonly dataDirectory: string;
  /** How often each kind of step had which outcome, over all stories. */
  readonly tally: ReadonlyMap<string, number>;
  /** A stage for a story, with names that no other story uses. */
  nextStage(): Stage;
}

/** @param url of a PostgreSQL database with all tables; without it a SQLite file is used. */
export async function openTheatre(url?: string): Promise<Theatre> {
  const hosts = url === undefined ? undefined : parseDatabaseUrl(url);
  await using opening = new AsyncDisposableStack();
  const { path: dataDirectory } = opening.use(await temporaryDirectory());
  const clock = new TestClock("2026-11-21T12:00:00.000Z");
  const drawn = createSecrets();
  let lastSecret = "";
  const secret = () => {
    lastSecret = drawn.secret();
    return lastSecret;
  };
  const secrets = { ...drawn, secret };
  const config: Config = {
    ...readConfig(sourceNames, { PORT: "0", DATA_DIR: dataDirectory, RATE_SOURCES: "" }),
    database: hosts === undefined ? { engine: "sqlite" } : { engine: "postgres", hosts },
    // The contract has its limits.
    authCallsPerWindow: 1_000_000,
  };
  const startNode = async (requireVerifiedEmail: boolean) => {
    const own = { ...config, requireVerifiedEmail };
    return opening.use(
      await startService({
        clock,
        dataDirectory,
        secrets,
        config: own,
        // A story has no 503, so the service waits as long as a busy machine needs.
        storeTimeouts: patientServer,
      }),
    );
  };
  const nodes = [await startNode(false), await startNode(true)] as const;
  const document = (await nodes[0].get("/openapi.json")).body as unknown as OpenApiDocument;
  const operate = operatorOf(clock, dataDirectory, url);
  const tally = new Map<string, number>();
  let stages = 0;

  const nextStage = (): Stage => {
    stages += 1;
    const mark = stages.toString(36).toUpperCase();
    const symbolOf = (symbol: string) => symbol + mark;
    return {
      clock,
      call: (node, method, path, how) => nodes[node].call(method, path, how),
      url: (node) => nodes[node].url,
      document,
      operate,
      lastSecret: () => lastSecret,
      symbolOf,
      emailOf: (mailbox) => `${mailbox}-${mark.toLowerCase()}@example.org`,
      pairOf(pair) {
        const [base = "", quote = ""] = pair.split("/");
        return { base: symbolOf(base), quote: symbolOf(quote) };
      },
      planOf: (plan) => (plan === "free" ? plan : `${plan}-${mark.toLowerCase()}`),
      tally(kind, outcome) {
        const what = `${kind}: ${outcome}`;
        tally.set(what, (tally.get(what) ?? 0) + 1);
      },
    };
  };

  const opened = opening.move();
  return {
    clock,
    dataDirectory,
    tally,
    nextStage,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Runs commands in this process, by the stories' clock. */
function operatorOf(clock: TestClock, dataDirectory: string, url: string | undefined) {
  const env = url === undefined ? {} : { DATABASE_URL: url };
  return async (args: readonly string[], input = ""): Promise<Operated> => {
    const { exitCode, stdout, stderr } = await kurs(args, { clock, dataDirectory, env, input });
    // The symbols of a story are on no list of currencies.
    const complaints = stderr.split("\n").filter((line) => !/^(?:warning: .*|)$/.test(line));
    return { exitCode: exitCode ?? -1, printed: stdout, complaint: complaints.join("\n") };
  };
}
