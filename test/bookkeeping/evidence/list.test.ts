import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { after, suite, test } from "node:test";
import { type EvidenceList, serialize } from "../../../src/bookkeeping/evidence/format.ts";
import { withSignature } from "../../../src/bookkeeping/evidence/signature.ts";
import { parseSigningKey } from "../../../src/rates/served/signing/ed25519.ts";
import { recorded } from "../applicable-rates/store.ts";
import { newEvidenceCli } from "./cli.ts";

// One evidence file for a list, with each document once.

const cli = await newEvidenceCli();
after(() => cli[Symbol.asyncDispose]());
await cli.fetch("ecb");
await cli.archive("nbp", recorded("nbp-2023-11.json.txt"));
const LIST = `Beleg;Date;Currency;Amount;Preset
1;13.11.2023;USD;100,00;pl-vat
2;2023-11-13;USD;7,50;pl-vat
3;2023-11-14;PLN;10,00;pl-vat
4;2026-03-15;USD;10,00;eu-vat
5;2023-11-08;USD;1,00;pl-vat
`;
const list = await cli.write("invoices.csv", LIST);
const { text, stdout } = await cli.made(`--file ${list}`);
const genuine = JSON.parse(text) as EvidenceList;

const key = parseSigningKey(cli.keyPem);
assert.ok(!("reason" in key));

/** Signs a changed list, and verifies it. @returns its exit code, and its lines but for the last. */
async function verified(change: (list: EvidenceList) => Partial<EvidenceList>) {
  assert.ok(!("reason" in key));
  const changed = { ...genuine, ...change(structuredClone(genuine)) };
  const { signing_key: _, signature: __, ...rest } = changed;
  await cli.write("out.json", serialize(await withSignature<EvidenceList>(rest, key)));
  return await cli.verified();
}

test("the evidence of a list has a statement for each line with a figure, and each document once", async () => {
  const lines = genuine.statements.map(({ line, base, quote, rate, published_for: date }) =>
    [line, base, quote, rate, date].join(" "),
  );
  assert.deepEqual(lines, [
    "2 USD PLN 4.1423 2023-11-10",
    "3 USD PLN 4.1423 2023-11-10",
    "5 EUR USD 1.1476 2026-03-13",
    "6 USD PLN 4.1667 2023-11-07",
  ]);
  assert.equal(genuine.documents.length, 2);
  assert.match(stdout, /out\.json: 4 figures of 5 lines; 1 line in the tax's own currency\n/);
  const [exitCode, ...shown] = await verified(() => ({}));
  assert.equal(exitCode, 0, shown.join("\n"));
  const numbers = [...shown.join("\n").matchAll(/^holds +document (\d),/gm)].map(([, one]) => one);
  assert.deepEqual(numbers, ["1", "2"]);
  assert.deepEqual(
    shown.filter((line) => line.includes("line 6")),
    [
      "holds       line 6: 1 USD = 4.1667 PLN, middle figure of nbp for 2023-11-07 (before 2023-11-08)",
    ],
  );
  assert.match(shown.at(-2) ?? "", /^not checked of which invoice each line is, and when it was/);
  const ended = await cli.runElsewhere("rates evidence verify @out.json --json");
  const json = JSON.parse(ended.stdout);
  assert.deepEqual([ended.exitCode, json.verdict, json.evidence], [3, "not proven", null]);
  assert.deepEqual(
    json.lines.map((one: { line: number; verdict: string }) => [one.line, one.verdict]),
    [2, 3, 5, 6].map((line) => [line, "holds"]),
  );
});

suite("a false line fails by its number, and no other:", () => {
  type Statement = EvidenceList["statements"][number];
  for (const [what, change, exit, pattern] of [
    ["another rate", { rate: "4.1404" }, 1, /^FAILS +line 3: the parser of nbp does not read/],
    [
      "another date",
      { asked: "2023-11-14", counted_from: "2023-11-14" },
      1,
      /^FAILS +line 3: .*nea/,
    ],
    ["a gap", { accepted_gaps: ["2023-11-11"] }, 1, /^FAILS +line 3: .* leaves no gap to accept/],
    ["a revision", { revision: 2 }, 3, /^not proven +line 3: whether nbp has amended it/],
  ] as const) {
    test(what, async () => {
      const [exitCode, ...lines] = await verified(({ statements }) => ({
        statements: statements.map(
          (one): Statement => (one.line === 3 ? ({ ...one, ...change } as Statement) : one),
        ),
      }));
      assert.equal(exitCode, exit, lines.join("\n"));
      const wrong = lines.slice(0, -2).filter((line) => !line.startsWith("holds"));
      assert.ok(wrong.length > 0 && wrong.every((line) => line.includes("line 3: ")), wrong.join());
      assert.match(wrong.join("\n"), pattern);
    });
  }
});

suite("a list is no evidence", () => {
  for (const [what, change, pattern] of [
    ["with a document twice", "double", /its documents are not those of its lines, each once/],
    ["with a document of no line", "unused", /its documents are not those of its lines, each once/],
    ["with a line twice", "repeated", /its lines are not in their order, each once/],
  ] as const) {
    test(what, async () => {
      const [exitCode, ...lines] = await verified(({ statements, documents }) => {
        const [first] = statements;
        const [document] = documents;
        assert.ok(first && document);
        if (change === "repeated") return { statements: [first, ...statements] };
        const other = change === "double" ? document : { ...document, sha256: "0".repeat(64) };
        return { documents: [...documents, other] };
      });
      assert.equal(exitCode, 1);
      assert.match(lines.join("\n"), pattern);
    });
  }

  test("where a line has no figure: nothing is written", async () => {
    const lines = await cli.write("bad.csv", `${LIST}6;2023-12-13;USD;1,00;pl-vat\n`);
    assert.match(
      await cli.unmade(`--file ${lines}`),
      /no evidence: line 7: not known: nbp was due/,
    );
    assert.ok(!existsSync(cli.file("none.json")));
    await cli.write("kept.csv", LIST);
    const same = await cli.run("rates evidence --file @kept.csv --out @./kept.csv --force");
    assert.match(same.stderr, /--out and --file are both .*: name two files/);
    assert.equal(readFileSync(cli.file("kept.csv"), "utf8"), LIST);
  });

  test("with a page, which is for one figure", async () => {
    const ended = await cli.run(`rates evidence --file ${list} --out @x.json --html @x.html`);
    assert.deepEqual([ended.exitCode, ended.stdout], [2, ""]);
    assert.match(ended.stderr, /--html, --ubl and --document are for one figure, not for --file/);
  });
});
