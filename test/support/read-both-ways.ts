import assert from "node:assert/strict";
import { parsePlainRead } from "../../src/metering/fast-path.ts";
import { comparable, openWire, type Wire } from "./raw-connection.ts";
import type { TestService } from "./service.ts";

/** The state of the account or the key. */
export const situations = ["ample", "exhausted", "revoked"] as const;
export type Situation = (typeof situations)[number];

/** A request with a key: the two accounts of a situation send the same with different keys. */
export type RequestOf = (apiKey: string) => string;

interface Customer {
  readonly accountId: string;
  readonly apiKey: string;
  readonly session: string;
}

/** The outcome of a request on either path. */
export interface Outcome {
  /** All bytes of all responses, without the parts that always differ. */
  readonly text: string;
  readonly units: number;
}

export interface Ways extends Disposable {
  readonly twins: Readonly<Record<Situation, readonly [Customer, Customer]>>;
  usedUnits(customer: Pick<Customer, "accountId">): number;
  /**
   * Sends a request on both paths and compares bytes and units.
   *
   * @returns the outcome, and whether the request is plain.
   */
  compare(requestOf: RequestOf, situation: Situation): Promise<Outcome & { isPlain: boolean }>;
}

/** Ends every exchange: its response closes the connection. */
const LAST = "GET /nowhere HTTP/1.1\r\nHost: kurs\r\nConnection: close\r\n\r\n";

/** Two accounts in each situation on one service, and their usage. */
export async function readWaysOf(service: TestService): Promise<Ways> {
  const newCustomer = async (plan: string, isRevoked: boolean): Promise<Customer> => {
    const session = await service.openSession();
    const { id, apiKey } = await service.createKey(session);
    const [row] = service.query("SELECT account_id FROM api_keys WHERE id = ?", id);
    const accountId = String(row?.account_id);
    service.query("UPDATE accounts SET plan = ? WHERE id = ?", plan, accountId);
    if (isRevoked) await service.call("DELETE", `/v1/account/api-keys/${id}`, { session });
    return { accountId, apiKey, session };
  };
  const newTwins = async (plan: string, isRevoked = false) =>
    [await newCustomer(plan, isRevoked), await newCustomer(plan, isRevoked)] as const;

  service.query("INSERT INTO plans VALUES ('ample', 1000000), ('none', 0)");
  const twins = {
    ample: await newTwins("ample"),
    exhausted: await newTwins("none"),
    revoked: await newTwins("ample", true),
  };
  const database = service.database();
  const used = database.prepare("SELECT sum(units) AS n FROM period_usage WHERE account_id = ?");
  const usedUnits = ({ accountId }: Pick<Customer, "accountId">) =>
    Number(used.get(accountId)?.n ?? 0);

  return {
    twins,
    usedUnits,

    async compare(requestOf, situation) {
      const [onFastPath, onNode] = twins[situation];
      const request = requestOf(onFastPath.apiKey);
      const before = [usedUnits(onFastPath), usedUnits(onNode)] as const;

      const shown = JSON.stringify(request);
      const expected = await answerByNode(service.url, requestOf(onNode.apiKey));
      const text = await answerAsItComes(service.url, request);

      assert.equal(text, expected, `${situation}: ${shown}`);
      const units = usedUnits(onFastPath) - before[0];
      assert.equal(units, usedUnits(onNode) - before[1], `${situation}: units of ${shown}`);
      return { text, units, isPlain: isPlain(request) };
    },

    [Symbol.dispose]: () => database.close(),
  };
}

/** A connection that node:http serves: a request that is not a read was served on it. */
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

/** Sends a request on a new connection: a plain one alone, and then the last one. */
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
