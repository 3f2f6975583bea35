import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFailure } from "../support/assertions.ts";
import { sendRaw } from "../support/raw-connection.ts";
import { startSharedService } from "../support/service.ts";

const service = await startSharedService();

const { session, apiKey } = await service.newCustomer();

/** Paths to a file outside the pages' folder, or to a file inside it that is not a page. */
const ways = [
  ...["/../package.json", "/assets/../../../package.json", "/./.././package.json"],
  ...["/%2e%2e/package.json", "/assets/%2e%2e%2f%2e%2e%2fpackage.json", "/..%2fpackage.json"],
  ...["/..%5cpackage.json", "/..\\package.json", "/%252e%252e/package.json", "/..;/package.json"],
  ...["/%c0%ae%c0%ae/package.json", "/%e0%80%ae%e0%80%ae/package.json", "//etc/passwd"],
  ...["/assets/..%00/package.json", "/index.html%00.js", "/package.json", "/.git/config", "/.env"],
  ...["/data/kurs.db", "/console/dist/index.html", "/assets/", "/assets", "/file:///etc/passwd"],
  ...["/docs.html", "/index.html", "/index.html.br", "/openapi.json/..%2f..", "/%2fetc%2fpasswd"],
];

for (const way of ways) {
  test(`hostile paths: ${way} serves no file`, async () => {
    const answer = await service.get(way);

    if (answer.status === 400) assertFailure(answer, 400, "invalid_request");
    else assertFailure(answer, 404, "not_found");
  });
}

/** Each is not the rate path, or its symbols are not the ones that it seems to name. */
const reads = [
  ...[
    "/v1/rates/EUR/../EUR/USD",
    "/v1/rates/./EUR/USD",
    "//v1/rates/EUR/USD",
    "/v1//rates/EUR/USD",
  ],
  ...["/v1/rates/EUR//USD", "/v1/rates/EUR/USD/", "/v1/rates/EUR%2fUSD", "/v1%2frates/EUR/USD"],
  ...[
    "/v1/rates/EUR/USD%00",
    "/v1/rates/EUR/USD;a=b",
    "/v1/rates/EUR/USD%3fa=b",
    "/V1/RATES/EUR/USD",
  ],
  ...[
    "/v1/rates/EUR/%55SD%23",
    "/v1/rates/%c1%85UR/USD",
    "/v1/rates/%2545UR/USD",
    "/v1/rates/E%55/%zz",
  ],
  ...["/v1/rates/%D0%95UR/USD", "/v1/rates/%EF%BC%A5UR/USD", "/v1/rates/EUR/%E2%80%8BUSD"],
];

for (const path of reads) {
  test(`hostile paths: ${path} is not a read of EUR/USD, and costs nothing`, async () => {
    const before = await service.usedUnits(session);

    const answer = await service.get(path, { apiKey });

    assert.ok([400, 404].includes(answer.status), answer.text);
    assertFailure(answer, answer.status, String(answer.body.code));
    assert.notEqual(answer.body.code, "unsupported_pair");
    assert.equal(await service.usedUnits(session), before);
  });
}

for (const target of ["*", "*v1/rates/EUR/USD", "*healthz", "*docs"]) {
  test(`hostile paths: a GET with the target ${target} matches no path, and costs nothing`, async () => {
    const before = await service.usedUnits(session);

    const request =
      `GET ${target} HTTP/1.1\r\nHost: kurs\r\nConnection: close\r\n` +
      `Authorization: ApiKey ${apiKey}\r\n\r\n`;
    const [answer] = await sendRaw(service.url, request);

    assert.ok(answer);
    assertFailure(answer, 404, "not_found");
    assert.equal(await service.usedUnits(session), before);
  });
}
