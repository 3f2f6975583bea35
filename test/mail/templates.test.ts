import assert from "node:assert/strict";
import { test } from "node:test";
import type { OutgoingMail } from "../../src/mail/store.ts";
import { renderMail } from "../../src/mail/templates.ts";

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

const letter = (kind: OutgoingMail["kind"], link?: OutgoingMail["link"], publicUrl = PUBLIC_URL) =>
  renderMail(mailOf(kind, link), publicUrl);

const addressesIn = (text: string) => text.match(/[a-z]+:\/\/[^\s"<>]+/g) ?? [];

/** What a browser makes of an attribute or a text. */
const unescaped = (html: string) =>
  html
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");

/** What stands in the HTML for a reader, a paragraph each. */
const paragraphsIn = (html: string) =>
  [...html.matchAll(/<p>(.*)<\/p>/g)].map(([, inner = ""]) =>
    unescaped(inner.replaceAll(/<[^>]*>/g, "")),
  );

const linksIn = (html: string) =>
  [...html.matchAll(/\bhref="([^"]*)"/g)].map(([, address = ""]) => unescaped(address));

const withLink = [
  ["verification", "verify", /^Confirm your email/, "Confirm this address"],
  ["password_reset", "reset", /^Set a new password/, "Set a new password"],
] as const;

for (const [kind, page, subject, name] of withLink) {
  test(`${kind}: text and HTML hold the same one link, its token in the fragment`, () => {
    const written = letter(kind, LINK);

    const link = `${PUBLIC_URL}/${page}#token=${TOKEN}`;
    assert.deepEqual(addressesIn(written.text), [link]);
    assert.deepEqual(addressesIn(written.html), [link]);
    assert.deepEqual(linksIn(written.html), [link]);
    assert.equal(new URL(link).pathname, `/${page}`);
    assert.match(written.subject, subject);
  });

  test(`${kind}: the link stands in a line of its own`, () => {
    const { text } = letter(kind, LINK);
    assert.ok(text.split("\n").includes(`${PUBLIC_URL}/${page}#token=${TOKEN}`), text);
  });

  test(`${kind}: the token is in the link alone: once in the text, once in the HTML`, () => {
    const { subject: line, text, html } = letter(kind, LINK);
    assert.equal(text.split(TOKEN).length, 2);
    assert.equal(html.split(TOKEN).length, 2);
    assert.ok(!line.includes(TOKEN));
  });

  test(`${kind}: text and HTML say the same, and until when the link works`, () => {
    const { text, html, subject: line } = letter(kind, LINK);
    const inText = text.trimEnd().split("\n\n");
    const readable = inText.map((part) => (part.startsWith("https:") ? name : part));
    assert.deepEqual(paragraphsIn(html), readable);
    assert.ok(html.includes(`<title>${line}</title>`));
    assert.match(text, /works once, until 2026-11-22 12:34 UTC\./);
    assert.match(text, /If it was not you, ignore this mail: /);
  });

  test(`${kind}: a public address with a path keeps it in the link`, () => {
    const { text, html } = letter(kind, LINK, "https://example.org/kurs");
    const link = `https://example.org/kurs/${page}#token=${TOKEN}`;
    assert.deepEqual([addressesIn(text), linksIn(html)], [[link], [link]]);
  });

  test(`${kind}: a public address cannot write HTML`, () => {
    const publicUrl = `https://example.org/a&b'"><script>alert(1)</script>`;
    const { html } = letter(kind, LINK, publicUrl);
    assert.deepEqual(linksIn(html), [`${publicUrl}/${page}#token=${TOKEN}`]);
    assert.doesNotMatch(html, /<script/);
    assert.equal(html.match(/<a\b[^>]*>/g)?.length, 1);
  });
}

const withoutLink = [
  ["password_changed", /^Your password .* was changed$/, /every session was ended/],
  ["test", /test mail from Kurs/, /arrives/],
] as const;

for (const [kind, subject, content] of withoutLink) {
  test(`${kind}: neither text nor HTML holds a link or a token`, () => {
    const written = letter(kind);
    assert.match(written.subject, subject);
    assert.match(written.text, content);
    assert.deepEqual(paragraphsIn(written.html), written.text.trimEnd().split("\n\n"));
    for (const text of [written.subject, written.text, written.html]) {
      assert.doesNotMatch(text, /:\/\/|href|token|undefined|[0-9a-f]{64}/);
    }
  });
}

test("the HTML is whole, tells its language and loads nothing", () => {
  for (const { html } of [letter("verification", LINK), letter("password_changed")]) {
    assert.match(html, /^<!doctype html>\n<html lang="en">\n<head>/);
    assert.match(html, /<\/body>\n<\/html>\n$/);
    assert.doesNotMatch(html, /<(?:img|script|link|iframe)\b|\bsrc=|url\(/i);
  }
});
