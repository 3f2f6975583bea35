import assert from "node:assert/strict";
import { test } from "node:test";
import type { OutgoingMail } from "../../../src/customers/outbox/store.ts";
import { renderMail } from "../../../src/customers/outbox/templates.ts";
import { consolePages } from "../../../src/platform/pages/paths.ts";

const PUBLIC_URL = "https://rates.example.org";
const TOKEN = "3f".repeat(32);
const LINK = { token: TOKEN, expiresAt: "2026-11-22T12:34:56.789Z" };

const mailOf = (kind: OutgoingMail["kind"], link: OutgoingMail["link"]): OutgoingMail => ({
  id: "01a1fc6b-d91f-75da-881f-eaa0e5224224",
  kind,
  email: "ada@example.org",
  link,
  createdAt: "2026-11-21T12:34:56.789Z",
});

const render = (kind: OutgoingMail["kind"], link?: OutgoingMail["link"], publicUrl = PUBLIC_URL) =>
  renderMail(mailOf(kind, link), publicUrl);

const addressesIn = (text: string) => text.match(/[a-z]+:\/\/[^\s"<>]+/g) ?? [];

/** Decodes HTML entities as a browser does. */
const unescaped = (html: string) =>
  html
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");

/** The visible text of the HTML, by paragraph. */
const paragraphsIn = (html: string) =>
  [...html.matchAll(/<p>(.*)<\/p>/g)].map(([, inner = ""]) =>
    unescaped(inner.replaceAll(/<[^>]*>/g, "")),
  );

const linksIn = (html: string) =>
  [...html.matchAll(/\bhref="([^"]*)"/g)].map(([, address = ""]) => unescaped(address));

const ofToken = `#token=${TOKEN}`;
const ofInvitation = `#invitation=${TOKEN}&email=ada%40example.org`;

const withLink = [
  ["verification", `verify${ofToken}`, /^Confirm your email/, "Confirm this address"],
  ["password_reset", `reset${ofToken}`, /^Reset your Kurs password$/, "Reset your password"],
  ["account_created", `reset${ofToken}`, /^Your account with Kurs$/, "Choose a password"],
  ["invitation", `signup${ofInvitation}`, /^You are invited to Kurs$/, "Open an account"],
] as const;

for (const [kind, page, subject, name] of withLink) {
  test(`${kind}: text and HTML have the same content with the same single link, and its expiry`, () => {
    const { text, html, subject: line } = render(kind, LINK);

    const link = `${PUBLIC_URL}/${page}`;
    assert.deepEqual(addressesIn(text), [link]);
    assert.ok(text.split("\n").includes(link), "the link is not on a line of its own");
    assert.deepEqual(addressesIn(unescaped(html)), [link]);
    assert.deepEqual(linksIn(html), [link]);
    const { pathname, search } = new URL(link);
    assert.equal(search, "");
    assert.ok(new Set<string>(consolePages).has(pathname), `no page ${page}`);
    assert.deepEqual([text.split(TOKEN).length, html.split(TOKEN).length], [2, 2]);
    const inText = text.trimEnd().split("\n\n");
    const readable = inText.map((part) => (part.startsWith("https:") ? name : part));
    assert.deepEqual(paragraphsIn(html), readable);
    assert.match(line, subject);
    assert.ok(html.includes(`<title>${line}</title>`));
    assert.match(text, /works once, until 2026-11-22 12:34 UTC[.,]/);
    assert.match(text, /[Ii]gnore (?:this mail|it)[.:]/);
  });

  test(`${kind}: the link keeps the path of PUBLIC_URL, which the HTML escapes`, () => {
    const publicUrl = `https://example.org/a&b'"><script>alert(1)</script>`;
    const { html } = render(kind, LINK, publicUrl);
    assert.deepEqual(linksIn(html), [`${publicUrl}/${page}`]);
    assert.doesNotMatch(html, /<script/);
    assert.equal(html.match(/<a\b[^>]*>/g)?.length, 1);
  });
}

test("invitation: the link holds any email as one value of its fragment", () => {
  for (const email of ["a+b&c=d@example.org", "o'hara#1@example.org", "ä%41@example.org"]) {
    const mail = { ...mailOf("invitation", LINK), email };
    const { text, html } = renderMail(mail, PUBLIC_URL);

    const [link = ""] = addressesIn(text);
    const parts = [...new URLSearchParams(new URL(link).hash.slice(1))];
    assert.deepEqual(parts, [
      ["invitation", TOKEN],
      ["email", email],
    ]);
    assert.deepEqual(linksIn(html), [link]);
    assert.ok(text.includes(`an account for ${email}:`), text);
  }
});

const withoutLink = [
  ["password_changed", /^Your password .* was changed$/, /every session was ended/],
  ["test", /test mail from Kurs/, /arrives/],
] as const;

for (const [kind, subject, content] of withoutLink) {
  test(`${kind}: neither text nor HTML contains a link or a token`, () => {
    const rendered = render(kind);
    assert.match(rendered.subject, subject);
    assert.match(rendered.text, content);
    assert.deepEqual(paragraphsIn(rendered.html), rendered.text.trimEnd().split("\n\n"));
    for (const text of [rendered.subject, rendered.text, rendered.html]) {
      assert.doesNotMatch(text, /:\/\/|href|token|undefined|[0-9a-f]{64}/);
    }
  });
}

const quotaMailAt = (threshold: number, createdAt: string) => {
  const quota = { threshold, used_units: 1_234_567, quota_units: 1_500_000, resets_at: RESET };
  return renderMail({ ...mailOf("quota_reached", undefined), quota, createdAt }, PUBLIC_URL);
};

const RESET = "2026-12-01T00:00:00.000Z";
const UNTIL_RESET = /get 429 quota_exceeded (?:and cost nothing )?until 2026-12-01 00:00 UTC/;

for (const [threshold, subject] of [
  [80, "At least 80 % of your Kurs quota for November 2026 is used"],
  [100, "Your Kurs quota for November 2026 is used up"],
] as const) {
  test(`quota_reached at ${threshold} %: text and HTML have the same figures, the period and the way to turn it off`, () => {
    const { subject: line, text, html } = quotaMailAt(threshold, "2026-11-21T12:00:00.000Z");

    assert.equal(line, subject);
    assert.match(text, /has used 1,234,567 of its 1,500,000 units in the .* of November 2026\./);
    assert.match(text, UNTIL_RESET);
    assert.match(text, /turn these mails off, on that page\.\n$/);
    assert.deepEqual(addressesIn(text), [`${PUBLIC_URL}/usage`]);
    assert.deepEqual(linksIn(html), [`${PUBLIC_URL}/usage`]);
    const readable = text.trimEnd().split("\n\n");
    const named = readable.map((part) => (part.startsWith("https:") ? "See the usage" : part));
    assert.deepEqual(paragraphsIn(html), named);
    assert.doesNotMatch(text, /this period|token|undefined/);
  });

  test(`quota_reached at ${threshold} %, written after the period: it says that the period has ended`, () => {
    for (const createdAt of [RESET, "2026-12-01T00:59:59.999Z"]) {
      const { text } = quotaMailAt(threshold, createdAt);
      assert.match(text, /of November 2026\.\n\nThat period ended on 2026-12-01 00:00 UTC, and/);
      assert.doesNotMatch(text, /429/);
    }
  });
}

test("the month of a mail about the quota is that of the period, in any time zone and year", () => {
  const quota = { threshold: 80, used_units: 8, quota_units: 10 };
  const subjectBefore = (resetsAt: string) =>
    renderMail(
      { ...mailOf("quota_reached", undefined), quota: { ...quota, resets_at: resetsAt } },
      PUBLIC_URL,
    ).subject;
  assert.match(subjectBefore("2027-01-01T00:00:00.000Z"), /December 2026/);
  assert.match(subjectBefore("2028-03-01T00:00:00.000Z"), /February 2028/);
});

test("the HTML is a complete document, states its language and loads nothing", () => {
  for (const { html } of [render("verification", LINK), render("password_changed")]) {
    assert.match(html, /^<!doctype html>\n<html lang="en">\n<head>/);
    assert.match(html, /<\/body>\n<\/html>\n$/);
    assert.doesNotMatch(html, /<(?:img|script|link|iframe)\b|\bsrc=|url\(/i);
  }
});
