import type { Language } from "./highlight.ts";
import type { Request } from "./requests.ts";

// A request in the languages that developers paste, with nothing but their standard libraries. None
// of them contains the key: a pasted secret ends up in a shell's history.

export interface Snippet {
  readonly name: string;
  readonly language: Language;
  readonly code: string;
  /** Where the code goes; without a note, the name is shown above the code. */
  readonly note?: string;
}

/** @param address of the service, without a slash at its end. */
export function requestInLanguages(request: Request, address: string): readonly Snippet[] {
  const call = { ...request, url: `${address}/${request.path}` };
  const note = "KURS_API_KEY is an environment variable that holds the key.";
  return [
    { name: "curl", language: "shell", code: curlOf(call), note },
    { name: "TypeScript", language: "typescript", code: typeScriptOf(call), note },
    { name: "Python", language: "python", code: pythonOf(call), note },
  ];
}

type Call = Request & { readonly url: string };

/** Every header but that of the key. */
function headersOf({ headers, json }: Call): readonly (readonly [name: string, value: string])[] {
  const all = json === undefined ? headers : { ...headers, "content-type": "application/json" };
  return Object.entries(all);
}

interface CurlCall extends Omit<Request, "path" | "method"> {
  readonly url: string;
  readonly method?: string;
  /** A variable in it is the shell's; empty for a call that needs none. */
  readonly credential?: string;
}

export function curlOf({
  url,
  headers,
  json,
  method = json === undefined ? "GET" : "POST",
  credential = "ApiKey $KURS_API_KEY",
}: CurlCall): string {
  const isPlain = method === (json === undefined ? "GET" : "POST");
  const lines = [`curl -s ${isPlain ? "" : `-X ${method} `}${shellText(url)}`];
  if (credential !== "") lines.push(`  -H "Authorization: ${credential}"`);
  for (const [name, value] of Object.entries(headers))
    lines.push(`  -H ${shellText(`${name}: ${value}`)}`);
  if (json !== undefined) {
    lines.push("  -H 'content-type: application/json'", `  -d ${shellText(JSON.stringify(json))}`);
  }
  return lines.join(" \\\n");
}

/** Quotes a text for a POSIX shell where it needs quotes. */
function shellText(text: string): string {
  return /^[\w./:%-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function typeScriptOf(call: Call): string {
  const { method, url, json } = call;
  return [
    `const response = await fetch(${JSON.stringify(url)}, {`,
    ...(json === undefined ? [] : [`  method: "${method}",`]),
    "  headers: {",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is the code that is shown
    "    Authorization: `ApiKey ${process.env.KURS_API_KEY}`,",
    ...headersOf(call).map(([name, value]) => `    "${name}": "${value}",`),
    "  },",
    ...(json === undefined ? [] : [`  body: JSON.stringify(${literal(json, "  ")}),`]),
    "});",
    "const body = await response.json();",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is the code that is shown
    "if (!response.ok) throw new Error(`${body.code}: ${body.message}`);",
    json === undefined
      ? "console.log(body.rate); // text, exact: not a number"
      : "console.log(body.result.content[0].text); // amounts are text, exact",
  ].join("\n");
}

function pythonOf(call: Call): string {
  const { url, json } = call;
  return [
    "import json, os, urllib.error, urllib.request",
    "",
    "request = urllib.request.Request(",
    `    ${JSON.stringify(url)},`,
    "    headers={",
    '        "Authorization": f"ApiKey {os.environ[\'KURS_API_KEY\']}",',
    ...headersOf(call).map(([name, value]) => `        "${name}": "${value}",`),
    "    },",
    ...(json === undefined ? [] : [`    data=json.dumps(${literal(json, "    ")}).encode(),`]),
    ")",
    "try:",
    "    with urllib.request.urlopen(request) as response:",
    "        body = json.load(response)",
    "except urllib.error.HTTPError as error:",
    "    raise SystemExit(error.read().decode())",
    json === undefined
      ? 'print(body["rate"])  # text, exact: not a float'
      : 'print(body["result"]["content"][0]["text"])  # amounts are text, exact',
  ].join("\n");
}

/** A value as TypeScript and Python write it. */
function literal(value: unknown, indent: string): string {
  return JSON.stringify(value, null, 2).replaceAll("\n", `\n${indent}`);
}
