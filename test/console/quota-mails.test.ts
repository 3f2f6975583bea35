import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { twoLooks, Visitor } from "../support/browser.ts";
import {
  type Server,
  serve,
  type TemporaryDirectory,
  temporaryDirectory,
} from "../support/process.ts";
import { excuseShift, logIn, turnTo } from "./steps.ts";

let directory: TemporaryDirectory;
let service: Server;

before(async () => {
  directory = await temporaryDirectory();
  service = await serve({ dataDirectory: directory.path });
});

after(async () => {
  await service?.[Symbol.asyncDispose]();
  await directory?.[Symbol.asyncDispose]();
});

const PATH = "/v1/account/settings";
const LABEL = "Mail me at 80 % and at 100 % of the quota";

for (const look of twoLooks) {
  test(`${look.name}: the usage page turns the mails about the quota off and on, by mouse and by keyboard`, async () => {
    await using visitor = await Visitor.come(service.url, look);
    const { page } = visitor;
    const email = `ada-${look.name.replace(" ", "-")}@example.org`;
    const session = await service.openSession(email);
    const stored = async () => (await service.get(PATH, { session })).body.quota_mails;
    await page.goto("/login");
    await logIn(page, email);
    await page.getByText("No active key").waitFor();
    await excuseShift(page);

    await turnTo(page, "Usage");
    const isOn = page.getByRole("checkbox", { name: LABEL, checked: true, exact: true });
    const isOff = page.getByRole("checkbox", { name: LABEL, checked: false, exact: true });
    await isOn.waitFor();
    await visitor.assertSound("the usage with mails");

    await page.getByText(LABEL).click();
    await isOff.waitFor();
    assert.equal(await stored(), false);
    await visitor.assertSound("the usage without mails");
    await page.reload();
    await isOff.waitFor();

    await isOff.focus();
    await page.keyboard.press("Space");
    await isOn.waitFor();
    assert.equal(await stored(), true);
    visitor.assertQuiet();
  });
}

test("a change that the service does not store leaves the box as it was and shows why", async () => {
  const [look] = twoLooks;
  assert.ok(look !== undefined);
  await using visitor = await Visitor.come(service.url, look);
  const { page } = visitor;
  const session = await service.openSession("bob@example.org");
  await page.goto("/login");
  await logIn(page, "bob@example.org");
  await page.getByText("No active key").waitFor();
  await turnTo(page, "Usage");
  const box = page.getByRole("checkbox", { name: LABEL });
  await box.waitFor();

  await page.route(`**${PATH}`, (route) => route.abort());
  visitor.expectError(/Failed to load/);
  await box.click();

  await page.getByRole("alert").getByText("The service cannot be reached.").waitFor();
  assert.equal(await box.isChecked(), true);
  assert.equal((await service.get(PATH, { session })).body.quota_mails, true);
  visitor.assertQuiet();
});
