import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

export const ROOT = join(import.meta.dirname, "../..");

/** A source file: its path from the root with slashes, and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  /** The text with comments and the insides of literals blanked out, line for line. */
  readonly code: string;
}

/** Every TypeScript and JavaScript file in a folder of the project and its subfolders, without packages. */
export function sourcesIn(folder: string): SourceFile[] {
  const entries = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && /\.(?:tsx?|js)$/.test(entry.name))
    .filter(({ parentPath }) => !parentPath.includes("node_modules"))
    .map((entry) => {
      const path = relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join("/");
      const text = readFileSync(join(ROOT, path), "utf8");
      return { path, text, code: codeOf(text) };
    })
    .sort((left, right) => (left.path < right.path ? -1 : 1));
}

// Comments, strings, templates, and regular expressions in operand position.
const literal =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`|(?<=[(,=:[!&|?{};>]\s*|\breturn\s)\/(?![*/])(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/g;

/** Blanks out comments and literals, but keeps `${…}` of templates, which contain code. */
export function codeOf(text: string): string {
  return text.replaceAll(literal, (found) => {
    const blank = (part: string) => part.replaceAll(/[^\n]/g, " ");
    if (!found.startsWith("`")) return blank(found);
    return found
      .split(/(\$\{[^}]*\})/)
      .map((part, index) => (index % 2 === 1 ? part : blank(part)))
      .join("");
  });
}

export interface Import {
  readonly line: number;
  readonly specifier: string;
  readonly isTypeOnly: boolean;
}

const importStatement =
  /^(?:import|export)\s+(type\s)?(?:[^"';]*?\sfrom\s+)?"([^"]+)"|\bimport\(\s*"([^"]+)"\s*\)/gm;

/** Every module that a file names in import and export statements and in dynamic imports. */
export function importsOf({ text }: SourceFile): Import[] {
  return [...text.matchAll(importStatement)].map((match) => ({
    line: lineAt(text, match.index),
    specifier: match[2] ?? match[3] ?? "",
    isTypeOnly: match[1] !== undefined,
  }));
}

/** @returns the path from the root for a relative specifier, undefined for a package. */
export function targetOf({ path }: SourceFile, { specifier }: Import): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  return join(dirname(path), specifier).split(sep).join("/");
}

/** The matches of a pattern in the code of files, as `src/app/main.ts:12: the line`. */
export function placesOf(files: readonly SourceFile[], pattern: RegExp): string[] {
  return files.flatMap(({ path, text, code }) =>
    [...code.matchAll(pattern)].map(({ index }) => {
      const line = lineAt(code, index);
      return `${path}:${line}: ${text.split("\n")[line - 1]?.trim()}`;
    }),
  );
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}

/** Every file that git tracks; in a copy without git, every file outside the skipped folders. */
export function trackedFiles(): string[] {
  const args = ["-c", "safe.directory=*", "ls-files", "-z"];
  const { status, stdout } = spawnSync("git", args, { cwd: ROOT, encoding: "utf8" });
  if (status === 0 && stdout !== "") return stdout.split("\0").filter((path) => path !== "");
  const skipped = new Set([".git", "node_modules", "data"]);
  return readdirSync(ROOT, { withFileTypes: true })
    .filter(({ name }) => !skipped.has(name))
    .flatMap((entry) => {
      if (!entry.isDirectory()) return [entry.name];
      const inner = readdirSync(join(ROOT, entry.name), { recursive: true, withFileTypes: true });
      return inner
        .filter((file) => file.isFile())
        .map((file) => relative(ROOT, join(file.parentPath, file.name)).split(sep).join("/"));
    });
}

/** The wing of a file of src. */
export const wingOf = (path: string): string => path.split("/")[1] ?? "";

/** Whether a file is a face of its wing: it stands beside the wing's folders. */
export const isFace = (path: string): boolean => path.split("/").length === 3;

/** The room of a file of src: a folder of its wing, or the wing itself for its faces. */
export const roomOf = (path: string): string =>
  path
    .split("/")
    .slice(0, isFace(path) ? 2 : 3)
    .join("/");
