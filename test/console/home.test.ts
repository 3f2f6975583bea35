import assert from "node:assert/strict";
import { test } from "node:test";
import { type Look, twoLooks, Visitor } from "../support/browser.ts";
import { startService, TestClock } from "../support/service.ts";
import { assertSoundAndNarrow, excuseShift, logIn } from "./steps.ts";

const EMAIL = "ada@example.org";
const NOW = "2026-11-21T12:00:00.000Z";
const [look] = twoLooks as [Look];

/** A service with an account that has read a rate so many times, on one day each. */
async function startWithReads(freePlanUnits: number, reads: Readonly<Record<string, number>>) {
  const clock = new TestClock("2026-11-01T12:00:00.000Z");
  const service = await startService({ clock, config: { freePlanUnits } });
  const { apiKey } = await service.newCustomer(EMAIL);
  for (const [day, count] of Object.entries(reads)) {
    clock.set(`${day}T06:00:00.000Z`);
    for (let read = 0; read < count; read += 1) await service.readRate("EUR/USD", apiKey);
  }
  clock.set(NOW);
  return service;
}

/** Opens home, by the service's clock. */
async function openHome({ page }: Visitor): Promise<void> {
  await page.clock.setFixedTime(NOW);
  await page.goto("/home");
  await logIn(page, EMAIL);
  await page.getByRole("region", { name: "This period" }).waitFor();
  await excuseShift(page);
}

for (const each of twoLooks) {
  test(`${each.name}: home foresees the units of the period, by the last seven days`, async () => {
    await using service = await startWithReads(40, { "2026-11-14": 3, "2026-11-15": 14 });
    await using visitor = await Visitor.come(service.url, each);

    await openHome(visitor);

    const { page } = visitor;
    await page.getByText("17 of 40 units used").waitFor();
    const forecast = "At the average of the last 7 days, about 36 of 40 units are used by then.";
    await page.getByText(forecast).waitFor();
    await assertSoundAndNarrow(visitor, "home with a forecast");
    assert.equal(await service.usedUnits(await service.logIn(EMAIL)), 17, "looking costs nothing");
    visitor.assertQuiet();
  });
}

test("home names the day on which the units are used up, before the reset", async () => {
  await using service = await startWithReads(30, { "2026-11-15": 14 });
  await using visitor = await Visitor.come(service.url, look);

  await openHome(visitor);

  const forecast = "At the average of the last 7 days, the units are used up about Nov 29, 2026.";
  await visitor.page.getByText(forecast).waitFor();
  visitor.assertQuiet();
});

for (const [name, units, reads] of [
  ["without reads in the last seven days", 30, { "2026-11-14": 3 }],
  ["without a unit left", 5, { "2026-11-20": 5 }],
] as const) {
  test(`home foresees nothing ${name}`, async () => {
    await using service = await startWithReads(units, reads);
    await using visitor = await Visitor.come(service.url, look);

    await openHome(visitor);

    await visitor.page.getByText("Resets in 10 days").waitFor();
    assert.equal(await visitor.page.getByText("At the average").count(), 0);
    visitor.assertQuiet();
  });
}
