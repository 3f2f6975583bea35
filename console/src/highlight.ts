/** A language of code that the console and the guide show in colours. */
export type Language = "shell" | "typescript" | "python" | "json";

/** A piece of code; `kind` is undefined for what has no colour. */
export interface Token {
  readonly kind: "comment" | "string" | "keyword" | "number" | "variable" | undefined;
  readonly text: string;
}

const DOUBLE = String.raw`"(?:[^"\\\n]|\\.)*"`;
const BACKTICK = "`[^`]*`";
const SLASHES = String.raw`//[^\n]*`;
const NUMBER = String.raw`\b\d+(?:\.\d+)?\b`;

const keywords = (words: string) => String.raw`\b(?:${words.replaceAll(" ", "|")})\b`;

/** What each kind looks like in each language, in the order in which they are tried. */
const looks: Record<Language, readonly (readonly [Exclude<Token["kind"], undefined>, string])[]> = {
  shell: [
    ["string", `${DOUBLE}|'[^']*'`],
    ["comment", String.raw`(?<=^|\s)#[^\n]*`],
    ["variable", String.raw`\$\w+`],
    ["keyword", String.raw`(?<=^|\s)(?:curl|claude|kurs|node|npm|npx)(?=\s|$)`],
  ],
  typescript: [
    ["comment", SLASHES],
    ["string", `${DOUBLE}|${BACKTICK}`],
    [
      "keyword",
      keywords("async await const else export for from function if import new return throw"),
    ],
    ["number", NUMBER],
  ],
  python: [
    ["comment", String.raw`#[^\n]*`],
    ["string", `f?${DOUBLE}`],
    ["keyword", keywords("import try with as except raise")],
    ["number", NUMBER],
  ],
  json: [
    ["keyword", String.raw`${DOUBLE}(?=\s*:)`],
    ["string", DOUBLE],
    ["number", String.raw`-?${NUMBER}|\btrue\b|\bfalse\b|\bnull\b`],
  ],
};

/** Splits code into pieces of one colour. Together they are the code, character by character. */
export function tokensOf(code: string, language: Language): readonly Token[] {
  const kinds = looks[language];
  const pattern = new RegExp(kinds.map(([, look]) => `(${look})`).join("|"), "g");
  const tokens: Token[] = [];
  let end = 0;
  for (const match of code.matchAll(pattern)) {
    const [text, ...groups] = match;
    if (match.index > end) tokens.push({ kind: undefined, text: code.slice(end, match.index) });
    tokens.push({ kind: kinds[groups.findIndex((group) => group !== undefined)]?.[0], text });
    end = match.index + text.length;
  }
  if (end < code.length) tokens.push({ kind: undefined, text: code.slice(end) });
  return tokens;
}
