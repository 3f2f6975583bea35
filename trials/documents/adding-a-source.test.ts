import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { test } from "node:test";
import { ROOT, trackedFiles } from "../../test/architecture/tree.ts";
import { COMPILE_CACHE } from "../../test/support/compile-cache.ts";
import { temporaryDirectory } from "../../test/support/process.ts";
import { blocksOf } from "./blocks.ts";

// Does what docs/adding-a-source.md says, from the first block to the last, in a copy of the project.

const DOCUMENT = "docs/adding-a-source.md";
const page = readFileSync(join(ROOT, DOCUMENT), "utf8").split("\n");

/** Each block with the last file that the page named before it. */
const blocks = blocksOf(DOCUMENT).map(({ line, language, text }) => {
  const named = page.slice(0, line).flatMap((before) => /^`([\w/.-]+)`/.exec(before)?.[1] ?? []);
  return { file: named.at(-1) ?? "", language, text };
});

/** Copies the project, with a link to the installed packages. */
function copyProject(directory: string): void {
  for (const path of trackedFiles()) cpSync(join(ROOT, path), join(directory, path));
  symlinkSync(join(ROOT, "node_modules"), join(directory, "node_modules"));
}

/** Changes a text as a diff says; `…` ends a line of which the diff states only the beginning. */
function changed(text: string, diff: string): string {
  return diff.split("@@\n").reduce((before, hunk) => {
    const parts = hunk.trimEnd().split("\n");
    const lines = before.split("\n");
    const old = parts.filter((part) => !part.startsWith("+")).map((part) => part.slice(1));
    const isAt = (start: number) =>
      old.every((stated, index) => {
        const line = lines[start + index] ?? "";
        return stated.endsWith("…") ? line.startsWith(stated.slice(0, -1)) : line === stated;
      });
    const starts = lines.flatMap((_, index) => (isAt(index) ? [index] : []));
    assert.equal(starts.length, 1, `at ${starts.length} places:\n${hunk}`);
    let next = starts[0] ?? 0;
    const after = parts.flatMap((part) => {
      if (part.startsWith("+")) return [part.slice(1)];
      const line = lines[next++];
      return part.startsWith("-") ? [] : [line];
    });
    return lines.toSpliced(starts[0] ?? 0, old.length, ...after.map(String)).join("\n");
  }, text);
}

test("the page on adding a source, followed to the letter, adds one that every check accepts", async () => {
  await using directory = await temporaryDirectory();
  copyProject(directory.path);
  const pathOf = (file: string) => join(directory.path, file);
  const [response = ""] = blocks.flatMap(({ language, text }) => (language === "json" ? text : []));
  // The publisher is another's server: only its response is played.
  const play = `globalThis.fetch = async (url) => {
    if (String(url) !== "https://www.mongolbank.mn/en/currency-rate-movement/data") throw new Error(url);
    return new Response(${JSON.stringify(response)});
  };`;
  const env = {
    ...process.env,
    // With `npx -c` around this test, the page's own npx would take this as its command, too.
    npm_config_call: "",
    PATH: [pathOf("node_modules/.bin"), process.env.PATH].join(delimiter),
    NODE_COMPILE_CACHE: COMPILE_CACHE,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(play)}`,
    NODE_TEST_CONTEXT: undefined,
    DATA_DIR: pathOf("data"),
  };
  let printed = "";
  for (const { file, language, text } of blocks) {
    if (language === "sh") {
      const run = spawnSync("sh", ["-ec", text], { cwd: directory.path, env, encoding: "utf8" });
      assert.equal(run.status, 0, `${text}${run.stdout}${run.stderr}`);
      printed = run.stdout;
    } else if (language === "diff") {
      writeFileSync(pathOf(file), changed(readFileSync(pathOf(file), "utf8"), text));
    } else if (language === "") {
      assert.equal(printed, text);
    } else {
      mkdirSync(dirname(pathOf(file)), { recursive: true });
      writeFileSync(pathOf(file), text);
    }
  }

  const languages = blocks.map(({ language }) => language);
  assert.equal(languages.filter((language) => language === "sh").length, 2);
  assert.equal(languages.at(-1), "", "the page ends with what its last command prints");
});
