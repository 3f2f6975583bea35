import assert from "node:assert/strict";
import { test } from "node:test";
import { newRateStore, recorded } from "../applicable-rates/store.ts";

const MARCH = recorded("ecb-2026-03.xml");

test("a verification counts the figures that a document states and the store lacks", async () => {
  await using store = await newRateStore();
  await store.archive("ecb", MARCH, (date) => date <= "2026-03-03" || date === "2026-03-06");
  const verify = async () => JSON.parse(await store.output("rates verify --source ecb --json"));

  const part = await verify();

  assert.deepEqual(part.differences, []);
  assert.equal(part.series.verified_figures, 9);
  const lacking = { source: "ecb", figures: 6, from: "2026-03-04", to: "2026-03-05" };
  assert.deepEqual(part.unstored, [lacking]);
  assert.match(
    await store.output("rates verify --source ecb"),
    /^ecb: documents state 6 figures of 2026-03-04 to 2026-03-05 that the store lacks; see kurs /,
  );

  await store.archive("ecb", MARCH, (date) => date === "2026-03-04");
  assert.deepEqual((await verify()).unstored, [{ ...lacking, figures: 3, from: "2026-03-05" }]);
  await store.archive("ecb", MARCH);
  const whole = await verify();
  assert.deepEqual([whole.series.verified_figures, whole.unstored], [15, []]);
});
