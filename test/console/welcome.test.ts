import assert from "node:assert/strict";
import { test } from "node:test";
import { type Look, twoLooks, Visitor } from "../support/browser.ts";
import { startServiceNow } from "../support/service.ts";
import { assertSoundAndNarrow } from "./steps.ts";

const [look] = twoLooks as [Look];

const startHere = (config = {}) => startServiceNow({ config });

for (const each of twoLooks) {
  test(`${each.name}: a visitor sees what the service has, what it costs and whose program it is`, async () => {
    await using service = await startHere();
    await using visitor = await Visitor.come(service.url, each);
    const { page } = visitor;

    await page.goto("/");

    const figures = page.getByRole("region", { name: "This service" });
    await figures.getByText("240", { exact: true }).waitFor();
    await figures.getByText("A new account has 1,000 units a month.").waitFor();
    const texts = await figures.locator("dl > div").allTextContents();
    assert.deepEqual(texts, [
      "pairs to read240",
      "publishers4",
      "of them up to date0",
      "for each read1 unit",
    ]);
    const footer = page.locator("footer");
    await footer.getByText(/^Kurs \d+\.\d+\.\d+, free software/).waitFor();
    for (const name of ["MIT licence", "API reference", "OpenAPI document"])
      await footer.getByRole("link", { name }).waitFor();
    await assertSoundAndNarrow(visitor, "the page for visitors");
    const left = await page.evaluate<number>(
      "innerHeight - document.querySelector('footer').getBoundingClientRect().bottom",
    );
    assert.ok(left < each.height / 3, `${left} px below the footer are empty`);
    visitor.assertQuiet();
  });
}

test("without the figures the page is as it is, and without open registration it offers no units", async () => {
  await using service = await startHere({ registration: "closed" });
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;

  await page.goto("/");
  await page.getByText("Looking at what there is costs nothing.").waitFor();
  assert.equal(await page.getByText("A new account has").count(), 0);

  await page.route("**/about.json", (route) =>
    route.fulfill({ status: 500, json: { code: "internal_error", message: "-" } }),
  );
  visitor.expectError(/status of 500/);
  await page.goto("/login");
  await page.getByRole("link", { name: "Kurs", exact: true }).click();
  await page.getByText("for each read").waitFor();
  await assertSoundAndNarrow(visitor, "the page without its figures");
  visitor.assertQuiet();
});
