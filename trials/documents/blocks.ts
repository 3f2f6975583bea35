import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, trackedFiles } from "../../test/architecture/tree.ts";

/** A fenced block of a document. */
export interface Block {
  readonly document: string;
  /** The line of its fence, from 1. */
  readonly line: number;
  /** Such as `sh`; empty without one. */
  readonly language: string;
  readonly text: string;
  /** The block directly beneath, with nothing between, where it is what the block prints. */
  readonly shown: string | undefined;
}

const FENCE = /^( *)(?:```|~~~) *([^\n`]*)\n([\s\S]*?)^\1(?:```|~~~)$/gm;
const OUTPUT = ["", "json"];

/** A line of a crontab: five fields, and the command. */
const CRON = /^(?:[\d*,/-]+ ){5} *(?=\S)/;

/** Every document of the project. */
export const documents = trackedFiles().filter((path) => path.endsWith(".md"));

/** The blocks of a document, in order. */
export function blocksOf(document: string): readonly Block[] {
  const page = readFileSync(join(ROOT, document), "utf8");
  const found = [...page.matchAll(FENCE)].map(({ 0: whole, 1: indent = "", index, ...groups }) => ({
    line: page.slice(0, index).split("\n").length,
    language: (groups[2] ?? "").trim(),
    text: (groups[3] ?? "").replaceAll(new RegExp(`^${indent}`, "gm"), ""),
    index,
    end: index + whole.length,
  }));
  return found.map(({ line, language, text, end }, place) => {
    const next = found[place + 1];
    const isBeneath = next !== undefined && page.slice(end, next.index).trim() === "";
    const shown = isBeneath && OUTPUT.includes(next.language) ? next.text : undefined;
    return { document, line, language, text, shown };
  });
}

/** The commands of a block: of a shell, or of a crontab. Undefined for any other block. */
export function commandsOf({ language, text }: Block): string | undefined {
  if (language === "sh") return text;
  const lines = text.trimEnd().split("\n");
  const isCrontab = language === "" && lines.every((line) => CRON.test(line));
  return isCrontab ? lines.map((line) => `(${line.replace(CRON, "")})\n`).join("") : undefined;
}
