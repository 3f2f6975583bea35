import { type Connection, openConnection } from "../../test/support/client.ts";
import { Draws } from "../../test/support/random.ts";
import {
  type AccountEntry,
  enterCharge,
  enterDoubt,
  type KeyEntry,
  type Ledger,
  today,
} from "../support/ledger.ts";
import { Violation } from "./event-log.ts";
import type { Node } from "./nodes.ts";
import { HOT_PAIRS, IMPORTED_PAIRS, importedPair, importOf } from "./rates.ts";
import { askRead, hasTime, type Reading, readingOf, type Way } from "./readings.ts";
import type { Round } from "./round.ts";

/** The pause after a 503. */
const PAUSE_MS = 20;

/** Codes of responses that cost a unit (specification, section 4). */
const charged = new Set(["ok", "unsupported_pair"]);

/** Reads of one worker: one after the other, on any node that is up, until the load ends. */
export async function readOn(round: Round, workerIndex: number, way: Way): Promise<void> {
  const { settings, plan, nodes } = round;
  const draws = new Draws([settings.seed, plan.round, "read", workerIndex]);
  while (round.isOn) {
    const node = nodes.living(workerIndex);
    if (node === undefined) return;
    using connection = openConnection(node.server.url);
    while (round.isOn) {
      const { customer, key } = drawKey(round, draws) ?? {};
      if (customer === undefined || key === undefined) return;
      const request = drawRequest(draws, round.ledger.imports.done);
      const isAnswered = await read(round, { node, connection, key, way, request });
      if (!isAnswered) break;
    }
  }
}

interface ReadRequest {
  readonly base: string;
  readonly quote: string;
  readonly isImported: boolean;
  readonly converts: boolean;
  /** The number of the import whose time it asks for; undefined: it asks for the newest rate. */
  readonly past?: number | undefined;
}

/** @param done how many imports are finished. */
function drawRequest(draws: Draws, done: number): ReadRequest {
  const pair = draws.kind({ usual: 60, imported: 30, unsupported: 7, malformed: 3 });
  const converts = draws.chance(0.3);
  if (pair === "imported") {
    const first = draws.chance(0.5) ? 0 : IMPORTED_PAIRS - HOT_PAIRS;
    const imported = importedPair(draws.whole(first, IMPORTED_PAIRS - 1));
    const past = done > 0 && draws.chance(0.3) ? draws.whole(1, done) : undefined;
    return { ...imported, isImported: true, converts, past };
  }
  const base = { usual: "EUR", unsupported: "EUR", malformed: "E" }[pair];
  const quote = pair === "unsupported" ? "XXX" : "USD";
  return { base, quote, isImported: false, converts };
}

/** A key of an account that reads; sometimes a revoked one. */
function drawKey(
  { ledger, plan }: Round,
  draws: Draws,
): { customer: AccountEntry; key: KeyEntry } | undefined {
  const readers = plan.focus?.flatMap((index) => ledger.readers[index] ?? []) ?? ledger.readers;
  const wantsRevoked = draws.chance(0.05);
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const customer = draws.any(readers);
    if (customer === undefined) return undefined;
    const keys = customer.keys.filter(
      ({ revocation }) => (revocation !== "none") === wantsRevoked || attempt > 10,
    );
    const key = draws.any(keys);
    if (key !== undefined) return { customer, key };
  }
  return undefined;
}

interface ToRead {
  readonly node: Node;
  readonly connection: Connection;
  readonly key: KeyEntry;
  readonly way: Way;
  readonly request: ReadRequest;
}

/** One read, recorded whatever its outcome. @returns whether a response came. */
export async function read(round: Round, toRead: ToRead): Promise<boolean> {
  const { ledger, answers, counts, story } = round;
  const { node, connection, key, way, request } = toRead;
  const { owner } = key;
  const before = {
    revocation: key.revocation,
    changes: ledger.changes,
    imported: ledger.imports.done,
  };
  const sentOn = today();
  const where = `${owner.email}: a read by ${way} on node ${node.index} with key ${key.id}`;
  owner.sentUnits += 1;
  counts.add("requests");
  const reply = await connection
    .call(...askRead(way, request, key.apiKey, request.converts))
    .catch((error: Error) => error);
  const doubt = () => {
    enterDoubt(key, sentOn);
    counts.add("reads in doubt");
  };
  if (reply instanceof Error) {
    // After a rejected connection nothing was sent.
    const isSent = (reply as NodeJS.ErrnoException).code !== "ECONNREFUSED";
    if (isSent) doubt();
    else owner.sentUnits -= 1;
    if (!node.isDoomed) throw new Violation(`${where} broke off: ${reply.message}`);
    if (isSent) story.tell(`${where} is in doubt`);
    return false;
  }

  answers.count();
  counts.add("answers");
  const reading = readingOf(way, reply);
  const seen = `${where} got ${reading.code}`;
  if (reading.code === "temporarily_unavailable") {
    doubt();
    counts.add("503");
    story.tell(seen);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    return true;
  }
  if (charged.has(reading.code)) {
    counts.add("charged answers");
    enterCharge(key, sentOn);
  } else owner.sentUnits -= 1;
  checkReading(round, { toRead, reading, before, seen });
  return true;
}

interface ReadToCheck {
  readonly toRead: ToRead;
  readonly reading: Reading;
  /** The state when the read was sent. */
  readonly before: {
    readonly revocation: KeyEntry["revocation"];
    readonly changes: number;
    readonly imported: number;
  };
  readonly seen: string;
}

/** Checks a response against what was acknowledged when the read was sent. */
function checkReading(
  { ledger, story }: Round,
  { toRead, reading, before, seen }: ReadToCheck,
): void {
  const { key, request } = toRead;
  const { owner } = key;
  const { code, rate, limit } = reading;
  if (before.revocation === "acknowledged") {
    if (code !== "unauthorized") throw new Violation(`${seen}, but the key is revoked`);
    return;
  }
  if (code === "unauthorized") {
    if (key.revocation === "none") throw new Violation(`${seen}, but the key is valid`);
  } else if (code === "quota_exceeded") {
    const ofPlan = ledger.quotasOf(owner.plans);
    const quotas = ofPlan.flatMap((units) => [...owner.granted].map((more) => units + more));
    // A HEAD does not say whose quota it is.
    if (key.line !== undefined && (limit ?? key.line.cap) === key.line.cap) {
      if (limit !== undefined && !quotas.includes(limit)) key.line.wasRejected = true;
      return;
    }
    // A change in flight may have changed the quota.
    if (before.changes !== ledger.changes) return;
    if (limit !== undefined && !quotas.includes(limit)) {
      throw new Violation(`${seen} at ${limit}, but the quota is ${quotas}`);
    }
    if (!owner.wasRejected) story.tell(`${seen}: its quota is exceeded`);
    owner.wasRejected = true;
  } else if (code === "ok") {
    if (rate !== undefined) checkRate(ledger, { ...toRead, rate, before, seen });
  } else if (code === "unsupported_pair") {
    const exists = request.isImported ? before.imported > 0 : request.quote === "USD";
    if (exists) throw new Violation(`${seen} of ${request.base}/${request.quote}`);
  } else if (code !== "invalid_asset_symbol" || request.base !== "E") {
    throw new Violation(seen);
  }
}

const USUAL_RATE = "1.1476";

function checkRate(
  { imports }: Ledger,
  { way, request, rate, before, seen }: Pick<ReadToCheck, "before" | "seen"> & RateToCheck,
): void {
  const found = `${seen}: ${JSON.stringify(rate)}`;
  if (rate.base !== request.base || rate.quote !== request.quote) throw new Violation(found);
  if (!request.isImported) {
    if (rate.rate !== USUAL_RATE) throw new Violation(found);
    return;
  }
  const number = importOf(rate);
  if (request.past !== undefined && hasTime(way)) {
    if (number !== request.past) throw new Violation(`${found}, not import ${request.past}`);
    return;
  }
  if (number === undefined || number < before.imported || number > imports.begun) {
    throw new Violation(`${found}, but import ${before.imported} is finished`);
  }
}

interface RateToCheck extends Pick<ToRead, "way" | "request"> {
  readonly rate: NonNullable<Reading["rate"]>;
}
