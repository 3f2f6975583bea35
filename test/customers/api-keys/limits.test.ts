import assert from "node:assert/strict";
import { test } from "node:test";
import {
  chooseLimits,
  NO_LIMITS,
  type OwnLimits,
  succeedingLimits,
} from "../../../src/customers/api-keys/limits.ts";
import { Failure } from "../../../src/platform/shared/failure.ts";
import { NOW } from "../../contract/suite/origins.ts";

test("ends are times or days from the creation, in the future, and at most as far as the operator allows", () => {
  const key = { createdAt: "2026-11-11T12:00:00.000Z" };
  const days = { ...NO_LIMITS, expiresAt: "2026-12-11T12:00:00.000Z", lifetimeDays: 30 };
  const old = { createdAt: "2025-01-01T00:00:00.000Z", limits: NO_LIMITS };
  const form = /^expires_at must be a time such as 2027-01-31T00:00:00Z, or days .* 30 days/;
  const cases: readonly (readonly [
    string | null | undefined,
    Parameters<typeof chooseLimits>[1],
    number | undefined,
    Partial<OwnLimits> | RegExp,
  ])[] = [
    [undefined, key, undefined, {}],
    ["30 days", key, undefined, days],
    ["2026-12-11T14:00:00+02:00", key, undefined, { expiresAt: days.expiresAt }],
    // A client sends back what it was sent.
    [days.expiresAt, { ...key, limits: days }, undefined, days],
    [null, { ...key, limits: days }, undefined, {}],
    [undefined, key, 30, days],
    ["30 days", key, 30, days],
    ["31 days", key, 30, /^expires_at must not be after 2026-12-11T12:00:00\.000Z: .* 30 days/],
    [null, key, 30, /must not be after/],
    [null, old, 30, {}],
    [undefined, old, 30, {}],
    ["10 days", key, undefined, /must be in the future: a time such as/],
    [NOW, key, undefined, /must be in the future/],
    ...[
      "0 days",
      "030 days",
      "3651 days",
      "-1 days",
      "1.5 days",
      "30 d",
      "30",
      "",
      "2026-12-31",
    ].map((text) => [text, key, undefined, form] as const),
    ["2026-12-31T00:00:00", key, undefined, form],
    ["2026-02-30T00:00:00Z", key, undefined, form],
  ];
  for (const [end, of, most, expected] of cases) {
    const choose = () => chooseLimits({ end }, of, NOW, most);
    if (!(expected instanceof RegExp)) {
      assert.deepEqual(choose(), { ...NO_LIMITS, ...expected }, String(end));
      continue;
    }
    assert.throws(choose, (error) => {
      assert.ok(error instanceof Failure);
      assert.equal(error.code, "invalid_request");
      assert.match(error.message, expected, String(end));
      return true;
    });
  }
  const none = succeedingLimits(NO_LIMITS, NOW, undefined);
  const again = succeedingLimits(days, NOW, undefined).expiresAt;
  const shorter = succeedingLimits(days, NOW, 7).lifetimeDays;
  assert.deepEqual([none, again, shorter], [NO_LIMITS, "2026-12-21T12:00:00.000Z", 7]);
});
