import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { ROOT } from "../../test/architecture/tree.ts";
import { type Block, blocksOf, commandsOf, documents } from "./blocks.ts";
import { type Installation, startInstallation } from "./installation.ts";
import { elsewhere, type Place, preparations, valuesOf } from "./preparations.ts";
import { readBlocks } from "./reader.ts";
import { standIns } from "./stand-ins.ts";

// Runs every shell block and crontab of every document as a reader would paste it: preparations.ts
// has what a document expects of its reader, stand-ins.ts the programs that are not the real ones.

const isElsewhere = ({ document, text }: Block) =>
  elsewhere.some(([path, start]) => path === document && text.startsWith(start));

const resources = new AsyncDisposableStack();
after(() => resources.disposeAsync());
let installation: Installation;
before(async () => {
  installation = resources.use(await startInstallation());
});

/** A text without what differs from one run to the next, and without the widths of columns. */
function shapeOf(text: string): string {
  return text
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}\b/g, "UUID")
    .replaceAll(/\bsvc_live_[0-9a-f]+/g, "KEY")
    .replaceAll(/\b\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?/g, "TIME")
    .replaceAll(/ +/g, " ")
    .trim();
}

/** Runs the blocks of a document. */
async function runDocument(document: string, blocks: readonly Block[]): Promise<void> {
  const preparation = preparations[document] ?? {};
  const { isInClone = false, exits = {}, prints = [] } = preparation;
  await using resources = new AsyncDisposableStack();
  const { apiKey, pid, owner, signingKey } = installation;
  const clone = await installation.clone();
  const directory = await installation.newDirectory(document.replaceAll("/", "-"));
  const place: Place = {
    folder: isInClone ? clone : join(directory, "folder"),
    dataDirectory: join(directory, "data"),
    machine: join(directory, "machine"),
    ...{ installation, resources },
    values: { ...preparation.values },
    env: {
      ...{ KEY: apiKey, KURS_API_KEY: apiKey, SIGNING_KEY_FILE: signingKey },
      // Of the stand-ins.
      ...{ SERVER_PID: String(pid), LEAKED_KEY: owner.leaked, CLONE: clone },
    },
  };
  await preparation.before?.(place);
  const values = { ...place.values, ...valuesOf(installation) };
  const read = await readBlocks(blocks, { ...place, directory, values, exits });
  const failed = blocks[Math.max(read.outputs.length - 1, 0)];
  const what = `${document}:${failed?.line}\n${failed?.text}${read.outputs.at(-1)}`;
  assert.deepEqual([read.exitCode, read.failures], [0, ""], what);
  for (const [index, { line, shown }] of blocks.entries()) {
    const printed = shapeOf(read.outputs[index] ?? "");
    if (shown !== undefined) assert.equal(printed, shapeOf(shown), `${document}:${line}`);
  }
  for (const pattern of prints) assert.match(read.outputs.join(""), pattern, document);
  preparation.check?.(read.outputs);
  for (const call of read.calls) await standIns[call.program]?.check?.(call);
}

suite("every command of a document runs as it is written", { concurrency: 2 }, () => {
  for (const document of documents) {
    const blocks = blocksOf(document).filter((block) => commandsOf(block) !== undefined);
    const own = blocks.filter((block) => !isElsewhere(block));
    if (own.length > 0) test(document, () => runDocument(document, own));
  }
});

test("the blocks that other tests run are there, and these tests read their document", () => {
  for (const [document, start, path] of elsewhere) {
    assert.ok(
      blocksOf(document).some((block) => block.text.startsWith(start)),
      start,
    );
    assert.ok(readFileSync(join(ROOT, path), "utf8").includes(document), path);
  }
});

test("every document that is prepared exists", () => {
  const gone = Object.keys(preparations).filter((document) => !documents.includes(document));
  assert.deepEqual(gone, []);
});
