import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { BY } from "../../contract/suite/origins.ts";
import { callOf, PATH as MCP, readOf, requestOf } from "../../reads/mcp/messages.ts";
import { type ServiceOnEngine, startServiceOn } from "../../support/both-engines.ts";
import { type Customer, PASSWORD } from "../../support/client.ts";
import { eventually } from "../../support/mails.ts";
import type { Json, OpenApiDocument } from "../../support/openapi.ts";
import { openWire, type Wire } from "../../support/raw-connection.ts";
import { watchRows } from "../../support/statements.ts";

// A client may take 30 s to send a body: its access may end in between. That a change tests the
// session in its own transaction is shown on both engines by test/contract/suite/accounts.ts.

interface Late {
  readonly name: string;
  readonly head: string;
  readonly body: string;
}

const headOf = (method: string, path: string, headers: Readonly<Record<string, string>>) => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines.join("")}`;
};

/** Bodies in place of examples that fit no account. */
const fitting = [{ password: PASSWORD }, { thresholds: [{ percent: 90 }] }];

/** A request to every operation of the document that takes a session, each with a body. */
async function withSession({ service }: ServiceOnEngine, owner: Customer): Promise<Late[]> {
  const { paths } = (await service.get("/openapi.json")).body as unknown as OpenApiDocument;
  const other = await service.logIn(owner.email);
  const { sessions } = (await service.get("/v1/account/sessions", { session: other })).body;
  const [{ id: otherId } = { id: "" }] = sessions as readonly { id: string }[];
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { security = [] }]) => security.some((scheme) => "Session" in scheme))
      .map(([method, { requestBody }]) => {
        const name = `${method.toUpperCase()} ${path}`;
        const example = (requestBody?.content["application/json"]?.example ?? {}) as Json;
        const json =
          fitting.find((one) => Object.keys(one).some((member) => member in example)) ?? example;
        const id = path.includes("/sessions/") ? otherId : owner.keyId;
        const authorization = `Session ${owner.session}`;
        const headers = { authorization, "content-type": "application/json" };
        const target = path.replace("{id}", id).replace("{period}", "2026-11");
        const head = headOf(method.toUpperCase(), target, headers);
        return { name, head, body: JSON.stringify(json) };
      }),
  );
  assert.ok(operations.length > 20, `only ${operations.length} operations`);
  return operations;
}

/** A read of a rate with a body, and over MCP another one, a free call and a resource. */
function withKey({ apiKey }: Customer): Late[] {
  const authorization = `ApiKey ${apiKey}`;
  const pairs = { uri: "kurs://pairs" };
  const posted = [
    readOf("2025"),
    callOf("2025", "get_usage"),
    requestOf("2025", "resources/read", pairs),
  ];
  return [
    { name: "a read", head: headOf("GET", "/v1/rates/EUR/USD", { authorization }), body: "{}" },
    ...posted.map(({ headers, json }, index) => ({
      name: `message ${index} over MCP`,
      head: headOf("POST", MCP, { ...headers, authorization }),
      body: JSON.stringify(json),
    })),
  ];
}

/** Sends requests, each on a connection of its own, without the last byte of its body. */
async function begin({ service }: ServiceOnEngine, requests: readonly Late[]) {
  const held = new DisposableStack();
  const wires = new Map<Late, Wire>();
  for (const late of requests) {
    const wire = held.use(await openWire(service.url));
    const { head, body } = late;
    wire.send(`${head}Content-Length: ${body.length}\r\n\r\n${body.slice(0, -1)}`);
    wires.set(late, wire);
  }
  return {
    /** Sends the last bytes. @returns the statuses by the requests' names. */
    async finish() {
      const statuses: Record<string, number> = {};
      for (const [{ name, body }, wire] of wires) {
        assert.equal(wire.received(), "", `${name} has a response before its end`);
        wire.send(body.slice(-1));
        statuses[name] = (await wire.answer(name.startsWith("HEAD"))).status;
      }
      return statuses;
    },
    [Symbol.dispose]: () => held.dispose(),
  };
}

const isLookup = (sql: unknown) => /^\s*SELECT s\.account_id\s+FROM sessions/.test(String(sql));

/** Counts the sessions that the service has looked up. */
function countLookups() {
  const counted = { lookups: 0 };
  const watched = watchRows((_rows, sql) => {
    if (isLookup(sql)) counted.lookups += 1;
  });
  return Object.assign(counted, watched);
}

const TABLES = "accounts api_keys auth_windows charged_units events mail_tokens sessions".split(
  " ",
);

/** All that an owner can change. */
const stored = ({ service }: ServiceOnEngine): string[] =>
  TABLES.flatMap((table) =>
    service.query(`SELECT * FROM ${table}`).map((row) => `${table}: ${JSON.stringify(row)}`),
  ).sort();

/** How a session and a key end. */
const endings = {
  "its session and its key have ended": async ({ service }, { session, keyId }) => {
    await service.revokeKey(session, keyId);
    await service.post("/v1/auth/logout", { session });
  },
  "its account is suspended": async ({ openStore }, { email }) => {
    await using store = await openStore();
    await store.administration.suspend(email, BY);
  },
  "its account is deleted": async ({ openStore }, { email }) => {
    await using store = await openStore();
    await store.administration.delete(email, BY);
  },
} satisfies Record<string, (on: ServiceOnEngine, owner: Customer) => Promise<unknown>>;

suite("a request whose body arrives late", () => {
  test("is served while its session and its key are valid", async () => {
    await using on = await startServiceOn("sqlite");
    const statuses: Record<string, number> = {};
    // Each on an account of its own: some end the session.
    for (const { name } of await withSession(on, await on.service.newCustomer())) {
      const requests = await withSession(on, await on.service.newCustomer());
      const [late] = requests.filter((one) => one.name === name);
      using held = await begin(on, late === undefined ? [] : [late]);
      Object.assign(statuses, await held.finish());
    }
    using held = await begin(on, withKey(await on.service.newCustomer()));
    Object.assign(statuses, await held.finish());

    const rejected = Object.entries(statuses).filter(([, status]) => status > 299);
    assert.deepEqual(rejected, []);
  });

  for (const [what, end] of Object.entries(endings)) {
    test(`is 401 when ${what} before its last byte, and changes nothing`, async () => {
      await using on = await startServiceOn("sqlite");
      const owner = await on.service.newCustomer();
      const requests = await withSession(on, owner);
      using counted = countLookups();
      using held = await begin(on, requests);
      using keyed = await begin(on, withKey(owner));
      const isAccepted = () => counted.lookups >= requests.length || undefined;
      await eventually("acceptance of each session", isAccepted);
      await end(on, owner);
      const before = stored(on);

      const statuses = { ...(await held.finish()), ...(await keyed.finish()) };

      const served = Object.entries(statuses).filter(([, status]) => status !== 401);
      assert.deepEqual(served, []);
      assert.deepEqual(stored(on), before);
    });
  }
});
