import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Cron } from "croner";
import { ROOT } from "../../architecture/tree.ts";
import { readOf } from "../../reads/mcp/messages.ts";
import { postTo } from "../../reads/mcp/with-key.ts";
import { sourceAt } from "../../support/fake-publisher.ts";
import { scrape } from "../../support/metrics.ts";
import { startService, TestClock } from "../../support/service.ts";

// The dashboard, the alarms, their pages and a real scrape must agree.

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

interface Panel {
  readonly title: string;
  readonly type: string;
  readonly datasource?: { readonly uid: string };
  readonly targets?: readonly { readonly expr: string; readonly datasource: { uid: string } }[];
}

interface Dashboard {
  readonly title: string;
  readonly schemaVersion: number;
  readonly panels: readonly (Panel & { readonly id: number })[];
  readonly templating: { readonly list: readonly { name: string; type: string }[] };
}

const dashboard = JSON.parse(read("deploy/grafana-dashboard.json")) as Dashboard;
const graphs = dashboard.panels.filter(({ type }) => type !== "row");

interface Alarm {
  readonly name: string;
  readonly expr: string;
  readonly page: string;
}

/** The rules of the file, which all have one form: a rule in another form is not found. */
function alarmsIn(text: string): readonly Alarm[] {
  return text
    .split(/^ {6}- alert: /m)
    .slice(1)
    .map((rule) => {
      const [name = ""] = rule.split("\n");
      const [, line, folded] = /^ {8}expr: (?:>-\n((?: {10}.*\n)+)|(?!>)(.+)\n)/m.exec(rule) ?? [];
      const [, page = ""] = /^ {10}runbook: kurs docs (\S+)$/m.exec(rule) ?? [];
      assert.match(rule, /^ {10}severity: (?:page|ticket)$/m, name);
      assert.match(rule, /^ {10}summary: ".+"$/m, name);
      return { name, expr: (line ?? folded ?? "").trim(), page: `docs/${page}.md` };
    });
}

const alarms = alarmsIn(read("deploy/alarms.yml"));

/** Prometheus itself adds `up` for each target; the node exporter provides the others. */
const EXTERNAL_METRICS = ["up", "node_filesystem_avail_bytes", "node_filesystem_size_bytes"];

/** Words that are neither a metric nor a function; a word before a bracket is a function. */
const WORDS = new Set(["by", "le", "on", "and", "or", "unless", "without"]);

/** The metrics that an expression of PromQL reads. */
function metricsIn(expr: string): string[] {
  const bare = expr
    .replaceAll(/"[^"]*"/g, "")
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, " ")
    .replaceAll(/\b(?:by|without|on)\s*\([^)]*\)/g, " ");
  return [...bare.matchAll(/\b[a-zA-Z_][a-zA-Z0-9_]*\b(?!\s*\()/g)]
    .map(([word]) => word)
    .filter((word) => !WORDS.has(word));
}

/** The metrics of a service after every event that creates a series. */
async function scrapedNames(): Promise<ReadonlySet<string>> {
  const clock = new TestClock("2026-11-21T12:00:00.000Z");
  const backupSchedule = new Cron("0 4 * * *", { timezone: "UTC", paused: true });
  const config = { metricsPort: 0, backupSchedule };
  await using service = await startService({
    clock,
    config,
    sources: [sourceAt("ecb", [], clock)],
    runCommand: async () => ({ exitCode: 0, stdout: "{}", stderr: "" }),
  });
  const { apiKey } = await service.newCustomer();
  await postTo(service, apiKey)(readOf("2025"));
  const result = await scrape(service);
  const names = [...result.types].flatMap(([name, type]) =>
    type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  );
  for (const name of names) assert.ok(result.series(name) > 0, `${name} has no series`);
  return new Set(names);
}

const scraped = await scrapedNames();
const shown = new Set(
  graphs.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => metricsIn(expr))),
);

test("metrics: every metric in a panel or an alarm exists in a scrape", () => {
  const known = (name: string) => scraped.has(name) || EXTERNAL_METRICS.includes(name);
  assert.deepEqual(
    [...shown].filter((name) => !scraped.has(name)),
    [],
  );
  for (const { name, expr } of alarms) {
    const metrics = metricsIn(expr);
    assert.ok(metrics.length > 0, `${name}: ${expr}`);
    assert.deepEqual(
      metrics.filter((metric) => !known(metric)),
      [],
      name,
    );
  }
});

test("metrics: the dashboard shows every metric of a scrape", () => {
  const baseOf = (name: string) => name.replace(/_(?:bucket|sum|count)$/, "");
  const bases = new Set([...shown].map(baseOf));
  assert.deepEqual(
    [...scraped].filter((name) => !bases.has(baseOf(name))),
    [],
  );
});

test("metrics: an imported dashboard queries the selected data source", () => {
  const { list } = dashboard.templating;
  assert.ok(list.some(({ name, type }) => name === "datasource" && type === "datasource"));
  assert.ok(dashboard.schemaVersion >= 36);
  const ids = dashboard.panels.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(graphs.length > 20);
  for (const { title, datasource, targets = [] } of graphs) {
    const uids = [datasource?.uid, ...targets.map((target) => target.datasource.uid)];
    assert.deepEqual([...new Set(uids)], ["${" + "datasource}"], title);
    assert.ok(targets.length > 0, title);
    for (const { expr } of targets) assert.ok(expr.includes('instance=~"$instance"'), title);
  }
});

test("metrics: every alarm links to its page, and every page belongs to an alarm", () => {
  assert.ok(alarms.length >= 11);
  const words = (name: string) => name.replaceAll(/\B[A-Z]/g, (letter) => `-${letter}`);
  for (const { name, page } of alarms) {
    assert.equal(page, `docs/alarms/${words(name).toLowerCase()}.md`);
  }
  const pages = readdirSync(join(ROOT, "docs/alarms")).map((file) => `docs/alarms/${file}`);
  assert.deepEqual(pages.sort(), alarms.map(({ page }) => page).sort());
});

test("metrics: an alarm's page explains its meaning, how to see more and what to do", () => {
  const monitoring = read("docs/operating/monitoring.md");
  for (const { name, page } of alarms) {
    const text = read(page);
    assert.ok(text.startsWith(`# ${name}\n`), page);
    const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    assert.deepEqual(headings, ["What it means", "How to see more", "What to do"], page);
    assert.match(text, /```sh\n.+/, page);
    assert.ok(
      monitoring.includes(`[${name}](${page.replace("docs/", "../")})`),
      `monitoring.md: ${name}`,
    );
  }
});

test("metrics: metricsIn separates an expression's metrics from its other words", () => {
  const expr =
    'histogram_quantile(0.99, sum by (instance, le) (rate(a_bucket{b=~"c.*"}[5m]))) > 0.25 and d_total';
  assert.deepEqual(metricsIn(expr), ["a_bucket", "d_total"]);
});
