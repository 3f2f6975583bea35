import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { PUBLISHERS_CERTIFICATE, playPublishers } from "../../../../harness/publishers.ts";
import { ecbDay } from "../../../support/fake-publisher.ts";
import { kurs, serve, temporaryDirectory } from "../../../support/process.ts";

/** No name has an address, so nothing but the proxy can be reached; no test asks a real publisher. */
const WITHOUT_NAMES = `--import=data:text/javascript,${encodeURIComponent(`
  import dns from "node:dns";
  const usual = dns.lookup;
  dns.lookup = (name, options, done) => {
    if (name.startsWith("127.")) return usual(name, options, done);
    done(Object.assign(new Error("no names here: " + name), { code: "ENOTFOUND" }));
  };
`)}`;

/** A proxy that leads every tunnel to a server that plays the ECB, and records the tunnels. */
const playProxy = () =>
  playPublishers((_address, response) => {
    response.end(ecbDay("2026-11-20", { USD: "1.1508" }));
  });

const environment = (settings: Readonly<Record<string, string>>) => ({
  NODE_EXTRA_CA_CERTS: PUBLISHERS_CERTIFICATE,
  NODE_OPTIONS: WITHOUT_NAMES,
  RATE_SOURCES: "ecb",
  ...settings,
});

suite("a proxy for publishers", { concurrency: 2 }, () => {
  test("carries the fetches of a command with its user and password, except of a host in NO_PROXY", async () => {
    await using proxy = await playProxy();
    await using directory = await temporaryDirectory();
    const dataDirectory = directory.path;
    const run = (args: string[], settings: Readonly<Record<string, string>> = {}) => {
      const env = environment({ HTTPS_PROXY: `http://kurs:sesame@${proxy.host}`, ...settings });
      return kurs(args, { dataDirectory, env });
    };
    assert.equal((await run(["migrate"])).exitCode, 0);
    const without = await run(["rates", "fetch"], { NO_PROXY: "intranet.example.org,.europa.eu" });
    assert.equal(without.exitCode, 1);
    assert.match(without.stdout + without.stderr, /no names here: www\.ecb\.europa\.eu/);
    assert.deepEqual(proxy.tunnels, []);

    const { exitCode, stdout, stderr } = await run(["rates", "fetch"]);

    assert.equal(exitCode, 0, stderr);
    assert.match(stdout, /ecb.*1/);
    assert.deepEqual(
      proxy.tunnels.map(({ to, headers }) => [to, headers["proxy-authorization"]]),
      [["www.ecb.europa.eu:443", `Basic ${Buffer.from("kurs:sesame").toString("base64")}`]],
    );
    assert.doesNotMatch(stdout + stderr, /sesame/);
  });

  test("carries the fetches of a server, named in lower case first, but no request for its health", async () => {
    await using proxy = await playProxy();
    await using directory = await temporaryDirectory();
    const nowhere = "http://127.0.0.1:1";
    const env = environment({ https_proxy: `http://${proxy.host}`, HTTPS_PROXY: nowhere });
    const at = { dataDirectory: directory.path };
    await using server = await serve({ ...at, env });
    await server.program.waitFor("the fetched rates", () =>
      server.logLines().find(({ msg }) => msg === "a source was fetched"),
    );

    const health = await kurs(["health"], { env: { ...env, PORT: new URL(server.url).port } });

    assert.equal(health.exitCode, 0, health.stderr);
    assert.deepEqual(
      proxy.tunnels.map(({ to }) => to),
      ["www.ecb.europa.eu:443"],
    );
  });

  test("that is no web address stops the start, without showing it", async () => {
    await using directory = await temporaryDirectory();
    for (const address of ["proxy:sesame@3128", "socks5://kurs:sesame@127.0.0.1:1", "http://"]) {
      const env = { HTTPS_PROXY: address };
      const ended = await kurs(["serve"], { dataDirectory: directory.path, env });
      assert.equal(ended.exitCode, 2, address);
      assert.match(ended.stderr, /HTTPS_PROXY: must be an address such as http:/);
      assert.doesNotMatch(ended.stdout + ended.stderr, /sesame/);
    }
  });
});
