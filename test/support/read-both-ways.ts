import assert from "node:assert/strict";
import type { Customer } from "./client.ts";
import { scrape } from "./metrics.ts";
import { comparable, openWire, type Wire } from "./raw-connection.ts";
import type { TestService } from "./service.ts";

/** A request with a credential. */
type RequestOf = (credential: string) => string;

/** The states of the account whose key a request has. */
export const situations = ["ample", "exhausted", "revoked"] as const;
export type Situation = (typeof situations)[number];

type Twin = Customer & { readonly accountId: string };

/** Ends every exchange: its response closes the connection. */
const LAST = "GET /nowhere HTTP/1.1\r\nHost: kurs\r\nConnection: close\r\n\r\n";

/** Two accounts in each situation on one service with metrics, and their usage. */
export async function readWaysOf(service: TestService) {
  const newTwin = async (plan: string, isRevoked: boolean): Promise<Twin> => {
    const customer = await service.newCustomer();
    const { keyId, session } = customer;
    const [row] = service.query("SELECT account_id FROM api_keys WHERE id = ?", keyId);
    const accountId = String(row?.account_id);
    service.query("UPDATE accounts SET plan = ? WHERE id = ?", plan, accountId);
    if (isRevoked) await service.revokeKey(session, keyId);
    return { ...customer, accountId };
  };
  const newTwins = async (plan: string, isRevoked = false) =>
    [await newTwin(plan, isRevoked), await newTwin(plan, isRevoked)] as const;

  service.query("INSERT INTO plans VALUES ('ample', 1000000), ('none', 0)");
  const twins = {
    ample: await newTwins("ample"),
    exhausted: await newTwins("none"),
    revoked: await newTwins("ample", true),
  };
  const database = service.database();
  const used = database.prepare("SELECT sum(units) AS n FROM period_usage WHERE account_id = ?");
  const usedUnits = ({ accountId }: Pick<Twin, "accountId">) => Number(used.get(accountId)?.n ?? 0);

  /** How many requests the fast path has served, as the service's metrics report: takes 20 ms. */
  const servedFast = async () =>
    (await scrape(service)).total("kurs_http_requests_by_path_total", { path: "fast_path" });

  const ways = {
    twins,
    usedUnits,
    servedFast,

    /** Sends a request on both paths and compares all bytes of all responses, and the units. */
    async compare(requestOf: RequestOf, situation: Situation) {
      const [onFastPath, onNode] = twins[situation];
      const request = requestOf(onFastPath.apiKey);
      const before = [usedUnits(onFastPath), usedUnits(onNode)] as const;

      const shown = JSON.stringify(request);
      using nodeWire = await openNodeWire(service.url);
      using wire = await openWire(service.url);
      nodeWire.send(requestOf(onNode.apiKey));
      wire.send(request);
      await serverHasRead(service.url);
      const wires = [nodeWire, wire];
      for (const each of wires) if (!each.isOver()) each.send(LAST);
      await Promise.all(wires.map((each) => each.untilEnd()));
      const [expected = "", text = ""] = wires.map((each) => comparable(each.received()));

      assert.equal(text, expected, `${situation}: ${shown}`);
      const units = usedUnits(onFastPath) - before[0];
      assert.equal(units, usedUnits(onNode) - before[1], `${situation}: units of ${shown}`);
      assert.equal(statedUnits(text), units, `${situation}: Units-Charged of ${shown}`);
      return { text, units };
    },

    /** As `compare`. @returns also whether the fast path served the request. */
    async trace(requestOf: RequestOf, situation: Situation) {
      const before = await servedFast();
      const outcome = await ways.compare(requestOf, situation);
      return { ...outcome, isPlain: (await servedFast()) === before + 1 };
    },

    [Symbol.dispose]: () => database.close(),
  };
  return ways;
}

/** The sum of what responses say that they cost. */
function statedUnits(responses: string): number {
  return [...responses.matchAll(/^units-charged: ([01])\r$|"kurs\/units-charged":"([01])"/gm)]
    .map(([, ofRead, ofCall]) => Number(ofRead ?? ofCall))
    .reduce((sum, units) => sum + units, 0);
}

/** A connection that node:http serves for good, because two requests arrived at once. */
export async function openNodeWire(url: string, allowHalfOpen = false): Promise<Wire> {
  const wire = await openWire(url, allowHalfOpen);
  const preflight = "Origin: https://example.org\r\nAccess-Control-Request-Method: GET\r\n";
  wire.send(`OPTIONS /v1/rates/EUR/USD HTTP/1.1\r\nHost: kurs\r\n${preflight}\r\n`.repeat(2));
  assert.equal((await wire.answer()).status, 204);
  assert.equal((await wire.answer()).status, 204);
  return wire;
}

/** The server reads connections in turn: it has read what was sent before this. */
export async function serverHasRead(url: string): Promise<void> {
  using _wire = await openNodeWire(url);
}
