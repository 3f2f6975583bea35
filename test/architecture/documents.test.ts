import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { anchorOf } from "../../guide/pages/anchors.ts";
import { ROOT, sourcesIn, trackedFiles } from "./tree.ts";

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

const documents = trackedFiles().filter((path) => /^(?!.*node_modules\/).*\.md$/.test(path));

/** A link to a file of the project: `[text](path#anchor)`. */
const link = /\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g;

const links = documents.flatMap((path) =>
  [...read(path).matchAll(link)].map(([text, file = "", anchor]) => ({
    place: `${path}: ${text.slice(1)}`,
    target: file === "" ? path : join(dirname(path), file),
    anchor,
  })),
);

/** The anchors that a renderer gives to the headings of a document. */
function anchorsOf(path: string): readonly string[] {
  const headings = read(path).match(/^#+ .+$/gm) ?? [];
  return headings.map((heading) => anchorOf(heading.replace(/^#+ /, "")));
}

test("every link in a document leads to a file, and to a heading that it has", () => {
  const broken = links.filter(
    ({ target, anchor }) =>
      !existsSync(join(ROOT, target)) ||
      (anchor !== undefined && !anchorsOf(target).includes(anchor)),
  );

  assert.ok(links.length > 100, `only ${links.length} links`);
  assert.deepEqual(
    broken.map(({ place }) => place),
    [],
  );
});

test("a message that leads into the guide leads to a heading of a document", () => {
  const targets = sourcesIn("src").flatMap(({ text }) =>
    [...text.matchAll(/\/guide\/([\w/-]+)#([\w-]+)/g)].map(([, name, anchor]) => {
      return { document: `docs/${name}.md`, anchor: String(anchor) };
    }),
  );
  assert.ok(targets.length > 0);
  for (const { document, anchor } of targets)
    assert.ok(anchorsOf(document).includes(anchor), anchor);
});

test("no document runs TypeScript on the machine's own Node.js, or asks a registry for its packages", () => {
  // It may be too old; and nothing is published, so that a package of that name is a stranger's.
  const wrong =
    /^.*(?:(?<!npx -c ')\bnode (?:--test )?(?:bench|examples|test)\/\S*\.ts|np[mx] (?:i |install )?(?:@kurs\/|kurs\b)).*$/gm;
  const found = documents.flatMap((path) =>
    [...read(path).matchAll(wrong)].map(([line]) => `${path}: ${line}`),
  );
  assert.deepEqual(found, []);
});

test("every document is in the index, itself or its folder", () => {
  const index = new Set(
    links.flatMap(({ place, target }) => (place.startsWith("docs/README.md:") ? [target] : [])),
  );
  const isListed = (path: string) => index.has(path) || index.has(`${dirname(path)}/`);

  assert.deepEqual(
    documents.filter((path) => path !== "docs/README.md" && !isListed(path)),
    [],
  );
});

test("every document that code names is there, and code links to every decision", () => {
  const code = ["src", "client/src", "console/src", "bench", "examples", "test"].flatMap(sourcesIn);
  const named = code.flatMap(({ path, text }) =>
    [...text.matchAll(/\bdocs\/[\w./-]+\.md\b/g)].map(([document]) => ({ path, document })),
  );
  const gone = named.filter(({ document }) => !existsSync(join(ROOT, document)));
  const decisions = documents.filter((path) => path.startsWith("docs/decisions/"));
  const linked = new Set(named.map(({ document }) => document));

  assert.deepEqual(gone, []);
  assert.ok(decisions.length > 10, `only ${decisions.length} decisions`);
  assert.deepEqual(
    decisions.filter((path) => !linked.has(path)),
    [],
  );
});

test("every path in CONTRIBUTING.md's table of changes is there, from the root or from src", () => {
  const [, table = ""] = read("CONTRIBUTING.md").split("| to add | touch |");
  const [rows = ""] = table.split("## ");
  const paths = [...rows.matchAll(/`([\w.-]+\/[\w./-]*)`/g)].map(([, path = ""]) => path);

  assert.ok(paths.length > 35, `only ${paths.length} paths`);
  assert.deepEqual(
    paths.filter((path) => ![path, `src/${path}`].some((place) => existsSync(join(ROOT, place)))),
    [],
  );
});

test("every file that docs/security.md names exists", () => {
  const named = read("docs/security.md").matchAll(/`((?:bench|test|docs|src)\/[\w./-]+)`/g);
  const files = [...named].map(([, file = ""]) => file);

  assert.ok(files.length > 50, `only ${files.length} files were found in it`);
  assert.deepEqual(
    files.filter((file) => !existsSync(join(ROOT, file))),
    [],
  );
});
