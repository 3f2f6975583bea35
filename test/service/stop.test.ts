import assert from "node:assert/strict";
import { connect } from "node:net";
import { availableParallelism } from "node:os";
import { suite, test } from "node:test";
import { eventually } from "../support/mails.ts";
import { type Server, serve, temporaryDirectory } from "../support/process.ts";
import { openWire, plainRead, type Wire } from "../support/raw-connection.ts";

/**
 * Sends a request except for the last byte of its body.
 *
 * @returns after the server has read the headers (100 Continue, RFC 9110, section 10.1.1): from
 * then on the request is in flight.
 */
async function beginPost(url: string, path: string, header = "Accept: */*") {
  const wire = await openWire(url);
  const body = JSON.stringify({ email: "ada@example.org", password: "correct horse battery" });
  const head = [
    `POST ${path} HTTP/1.1`,
    "Host: kurs",
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    "Expect: 100-continue",
    header,
  ];
  wire.send(`${head.join("\r\n")}\r\n\r\n`);
  const { status, lines } = await wire.answer();
  assert.deepEqual([status, lines, wire.received()], [100, [], ""]);
  wire.send(body.slice(0, -1));
  return {
    closed: () => wire.untilEnd(),
    /** What the server sent after the 100. */
    answer: () => wire.received(),
    sendEnd: () => wire.send(body.slice(-1)),
  };
}

/** Waits until the server accepts no new connection. */
async function waitUntilRejected(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  await eventually("rejected connection", async () => {
    const { promise, resolve } = Promise.withResolvers<true | undefined>();
    const socket = connect({ host: hostname, port: Number.parseInt(port, 10) });
    socket.on("connect", () => resolve(undefined));
    socket.on("error", ({ code }: NodeJS.ErrnoException) =>
      resolve(code === "ECONNREFUSED" ? true : undefined),
    );
    const isRejected = await promise;
    socket.destroy();
    return isRejected;
  });
}

async function startServer(env: Readonly<Record<string, string>> = {}) {
  await using starting = new AsyncDisposableStack();
  const { path: dataDirectory } = starting.use(await temporaryDirectory());
  const server = starting.use(await serve({ dataDirectory, env }));
  const started = starting.move();
  return { server, dataDirectory, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

async function assertCleanExit(server: Server): Promise<void> {
  const { exitCode, signal, stderr } = await server.program.end();
  assert.deepEqual([exitCode, signal], [0, null]);
  assert.doesNotMatch(stderr, / {4}at /);
  assert.ok(server.logLines().some(({ msg }) => msg === "stopping"));
}

async function openWires(url: string, count: number, scope: DisposableStack): Promise<Wire[]> {
  const wires = await Promise.all(Array.from({ length: count }, () => openWire(url, true)));
  for (const wire of wires) scope.use(wire);
  return wires;
}

suite("a shutdown", { concurrency: 2 }, () => {
  const halves = [
    ["half a request line", "GET /v1/rates/EUR"],
    ["half its headers", "GET /healthz HTTP/1.1\r\nHost: kurs\r\nX-Long: "],
    [
      "half its body",
      "POST /v1/auth/login HTTP/1.1\r\nHost: kurs\r\nContent-Type: application/json\r\n" +
        'Content-Length: 99\r\n\r\n{"email',
    ],
    ["nothing at all", ""],
  ] as const;

  test("SIGTERM cuts off unfinished requests", async () => {
    await using started = await startServer({ KURS_TEST_PATIENCE_MS: "3000" });
    const { server } = started;
    const wires = await Promise.all(
      halves.map(async ([, text]) => {
        const wire = await openWire(server.url);
        if (text !== "") wire.send(text);
        return wire;
      }),
    );
    // The response on a later connection shows that the server has read what the others sent.
    assert.equal((await server.get("/healthz")).status, 200);

    server.program.signal("SIGTERM");

    await assertCleanExit(server);
    await Promise.all(wires.map((wire) => wire.untilEnd()));
    // After the time limit for a request they would have received an error.
    for (const wire of wires) assert.equal(wire.received(), "");
  });

  for (const [what, code] of [
    ["an exception that nothing catches", 'throw new Error("planted")'],
    ["a rejected promise without a handler", 'Promise.reject(new Error("planted"))'],
  ] as const) {
    test(`${what} is logged, lets a request in flight finish, and exits with 1`, async () => {
      const module = `process.once("SIGUSR2", () => { ${code}; })`;
      const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(module)}`;
      await using started = await startServer({ NODE_OPTIONS });
      const { server } = started;
      const registration = await beginPost(server.url, "/v1/auth/register");

      server.program.signal("SIGUSR2");
      await waitUntilRejected(server.url);
      registration.sendEnd();

      await registration.closed();
      assert.match(registration.answer(), /^HTTP\/1\.1 201 /);
      const { exitCode, stderr } = await server.program.end();
      assert.equal(exitCode, 1);
      assert.doesNotMatch(stderr, /planted/);
      const [fatal] = server.logLines().filter(({ level }) => level === "fatal");
      assert.match(JSON.stringify(fatal), /"message":"planted".*unexpected error stops the server/);
    });
  }

  test("SIGTERM lets a request in flight finish, accepts no new one, and exits with 0", async () => {
    await using started = await startServer();
    const { server } = started;
    const registration = await beginPost(server.url, "/v1/auth/register");
    const logIn = await beginPost(server.url, "/v1/auth/login");

    server.program.signal("SIGTERM");
    await waitUntilRejected(server.url);
    assert.ok(server.program.isRunning);
    registration.sendEnd();

    // A connection ends with its last response and does not wait for the others.
    await registration.closed();
    assert.match(registration.answer(), /^HTTP\/1\.1 201 [\s\S]*"email":"ada@example\.org"/);
    logIn.sendEnd();
    await logIn.closed();
    assert.match(logIn.answer(), /^HTTP\/1\.1 200 /);
    await assertCleanExit(server);
    await using again = await serve({ dataDirectory: started.dataDirectory });
    assert.match(await again.logIn("ada@example.org"), /^svc_sess_/);
  });

  test("SIGTERM lets log-ins in the hash pool's queue finish and logs them", async () => {
    await using started = await startServer();
    const { server } = started;
    await server.register("ada@example.org");
    // Three more than there are hash threads.
    const count = availableParallelism() + 2;
    const logIns = await Promise.all(
      Array.from({ length: count }, () =>
        beginPost(server.url, "/v1/auth/login", "Connection: close"),
      ),
    );
    for (const { sendEnd } of logIns) sendEnd();

    server.program.signal("SIGTERM");

    await Promise.all(logIns.map(({ closed }) => closed()));
    const statuses = logIns.map(({ answer }) => Number(/^HTTP\/1\.1 (\d+) /.exec(answer())?.[1]));
    assert.deepEqual(new Set(statuses), new Set([200]));
    await assertCleanExit(server);
    const logged = server.logLines().filter(({ route }) => route === "/v1/auth/login");
    assert.deepEqual(logged.map(({ status }) => status).sort(), statuses.sort());
  });

  for (const name of ["SIGTERM", "SIGINT"] as const) {
    test(`a later ${name} exits at once`, async () => {
      await using started = await startServer();
      const { program, url } = started.server;
      const registration = await beginPost(url, "/v1/auth/register");
      program.signal(name);
      await waitUntilRejected(url);
      assert.ok(program.isRunning);

      // Every SIGINT of the first quarter of a second counts as one.
      await eventually("end", () => {
        program.signal(name);
        return name === "SIGTERM" || !program.isRunning || undefined;
      });

      // A shutdown that waits exits with 0.
      assert.equal((await program.end()).exitCode, 1);
      await registration.closed();
      assert.equal(registration.answer(), "");
    });
  }
});

suite("a shutdown with connections that read", { concurrency: 2 }, () => {
  test("SIGTERM closes 200 idle connections while another has a request in flight", async () => {
    await using started = await startServer();
    const { server } = started;
    const read = plainRead((await server.newCustomer()).apiKey);
    using scope = new DisposableStack();
    const wires = await openWires(server.url, 200, scope);
    for (const wire of wires) wire.send(read);
    for (const wire of wires) assert.equal((await wire.answer()).status, 200);
    // Of node:http.
    wires[0]?.send("GET /healthz HTTP/1.1\r\nHost: kurs\r\n\r\n");
    assert.equal((await wires[0]?.answer())?.status, 200);

    const busy = await beginPost(server.url, "/v1/auth/register");

    server.program.signal("SIGTERM");

    await Promise.all(wires.map((wire) => wire.untilEnd()));
    for (const wire of wires) assert.equal(wire.received(), "");
    assert.equal(busy.answer(), "");
    busy.sendEnd();
    await busy.closed();
    assert.match(busy.answer(), /^HTTP\/1\.1 201 /);
    await assertCleanExit(server);
  });

  test("SIGTERM during reads: the charged units equal the successful responses", async () => {
    await using started = await startServer({ PLAN_FREE_UNITS: "1000000" });
    const { server } = started;
    const read = plainRead((await server.newCustomer("bob@example.org")).apiKey);
    using scope = new DisposableStack();
    const wires = await openWires(server.url, 20, scope);
    let answered = 0;
    /** Sends reads on and on, so many in a packet. */
    const readOn = async (wire: Wire, count: number) => {
      for (;;) {
        wire.send(read.repeat(count));
        for (let index = 0; index < count; index += 1) {
          const answer = await wire.answer().catch(() => undefined);
          if (answer === undefined) return;
          assert.equal(answer.status, 200);
          answered += 1;
        }
      }
    };
    const readers = wires.map((wire, index) => readOn(wire, index % 2 === 0 ? 1 : 20));
    for (const wire of wires) await wire.untilAnswer();

    server.program.signal("SIGTERM");

    await assertCleanExit(server);
    await Promise.all(readers);
    await using again = await serve({ dataDirectory: started.dataDirectory });
    const used = await again.usedUnits(await again.logIn("bob@example.org"));
    assert.ok(answered > wires.length, String(answered));
    assert.equal(used, answered);
  });
});
