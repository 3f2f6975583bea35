import assert from "node:assert/strict";
import { parsePlainRead } from "../../src/metering/fast-path.ts";
import type { Customer } from "./client.ts";
import { comparable, openWire, type Wire } from "./raw-connection.ts";
import type { TestService } from "./service.ts";

/** How an account stands whose key asks. */
export const situations = ["ample", "exhausted", "revoked"] as const;
export type Situation = (typeof situations)[number];

/** A request of a key: the two accounts of a situation ask the same with keys of their own. */
export type RequestOf = (apiKey: string) => string;

type Twin = Customer & { readonly accountId: string };

/** What came of a request, whichever way. */
export interface Outcome {
  /** All bytes of all answers, but for what no two answers share. */
  readonly text: string;
  readonly units: number;
}

export interface Ways extends Disposable {
  readonly twins: Readonly<Record<Situation, readonly [Twin, Twin]>>;
  usedUnits(customer: Pick<Twin, "accountId">): number;
  /**
   * Sends a request both ways and holds one to the other, by bytes and by units.
   *
   * @returns what came of it, and whether it stayed on the lane.
   */
  compare(requestOf: RequestOf, situation: Situation): Promise<Outcome & { isPlain: boolean }>;
}

/** Ends every exchange: its answer says that the connection is closed. */
const LAST = "GET /nowhere HTTP/1.1\r\nHost: kurs\r\nConnection: close\r\n\r\n";

/** Two accounts in each situation on one service, and what they have used. */
export async function readWaysOf(service: TestService): Promise<Ways> {
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

  return {
    twins,
    usedUnits,

    async compare(requestOf, situation) {
      const [onLane, onNode] = twins[situation];
      const request = requestOf(onLane.apiKey);
      const before = [usedUnits(onLane), usedUnits(onNode)] as const;

      const told = JSON.stringify(request);
      const expected = await answerByNode(service.url, requestOf(onNode.apiKey));
      const text = await answerAsItComes(service.url, request);

      assert.equal(text, expected, `${situation}: ${told}`);
      const units = usedUnits(onLane) - before[0];
      assert.equal(units, usedUnits(onNode) - before[1], `${situation}: units of ${told}`);
      return { text, units, isPlain: isPlain(request) };
    },

    [Symbol.dispose]: () => database.close(),
  };
}

/** A connection that node:http has: what is no read has been sent on it, and answered. */
export async function openNodeWire(url: string): Promise<Wire> {
  const wire = await openWire(url);
  wire.send("GET /healthz HTTP/1.1\r\nHost: kurs\r\n\r\n");
  const { status } = await wire.answer();
  assert.equal(status, 200);
  return wire;
}

async function answerByNode(url: string, request: string): Promise<string> {
  using wire = await openNodeWire(url);
  wire.send(request + LAST);
  await wire.untilEnd();
  return comparable(wire.received());
}

/** Sends a request on a new connection: what is for the lane alone, and the last one after it. */
async function answerAsItComes(url: string, request: string): Promise<string> {
  using wire = await openWire(url);
  if (isPlain(request)) {
    wire.send(request);
    await wire.untilAnswer();
    wire.send(LAST);
  } else wire.send(request + LAST);
  await wire.untilEnd();
  return comparable(wire.received());
}

const isPlain = (request: string) => parsePlainRead(Buffer.from(request, "latin1")) !== undefined;
