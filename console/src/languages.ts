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
    { name: "Go", language: "go", code: goOf(call), note },
    { name: "PHP", language: "php", code: phpOf(call), note },
    { name: "C#", language: "csharp", code: csharpOf(call), note },
  ];
}

type Call = Request & { readonly url: string };

/** Every header but that of the key. */
function headersOf({ headers, json }: Call): readonly (readonly [name: string, value: string])[] {
  const all = json === undefined ? headers : { ...headers, "content-type": "application/json" };
  return Object.entries(all);
}

export function curlOf({ url, headers, json }: Omit<Call, "path" | "method">): string {
  const lines = [`curl -s ${shellText(url)}`];
  lines.push('  -H "Authorization: ApiKey $KURS_API_KEY"');
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

function goOf(call: Call): string {
  const { method, url, json } = call;
  const body = json === undefined ? "nil" : `strings.NewReader(${goText(JSON.stringify(json))})`;
  const imports = ["encoding/json", "fmt", "log", "net/http", "os"];
  if (json !== undefined) imports.push("strings");
  return [
    "package main",
    "",
    "import (",
    ...imports.map((name) => `\t"${name}"`),
    ")",
    "",
    "func main() {",
    `\trequest, err := http.NewRequest("${method}", ${JSON.stringify(url)}, ${body})`,
    ...GO_CHECK,
    '\trequest.Header.Set("Authorization", "ApiKey "+os.Getenv("KURS_API_KEY"))',
    ...headersOf(call).map(([name, value]) => `\trequest.Header.Set("${name}", "${value}")`),
    "\tresponse, err := http.DefaultClient.Do(request)",
    ...GO_CHECK,
    "\tdefer response.Body.Close()",
    "\tvar body struct {",
    ...(json === undefined
      ? ["\t\tRate, Code, Message string // the rate is text, exact: not a float"]
      : [
          "\t\tCode, Message string",
          "\t\tResult        struct{ Content []struct{ Text string } } // amounts are text, exact",
        ]),
    "\t}",
    "\terr = json.NewDecoder(response.Body).Decode(&body)",
    ...GO_CHECK,
    "\tif response.StatusCode != http.StatusOK {",
    '\t\tlog.Fatalf("%s: %s", body.Code, body.Message)',
    "\t}",
    ...(json === undefined
      ? ["\tfmt.Println(body.Rate)"]
      : [
          "\tfor _, content := range body.Result.Content {",
          "\t\tfmt.Println(content.Text)",
          "\t}",
        ]),
    "}",
  ].join("\n");
}

const GO_CHECK = ["\tif err != nil {", "\t\tlog.Fatal(err)", "\t}"];

/** A raw string where the text allows it. */
function goText(text: string): string {
  return text.includes("`") ? JSON.stringify(text) : `\`${text}\``;
}

function phpOf(call: Call): string {
  const { method, url, json } = call;
  return [
    "<?php",
    "$context = stream_context_create(['http' => [",
    `    'method' => '${method}',`,
    "    'header' => [",
    "        'Authorization: ApiKey ' . getenv('KURS_API_KEY'),",
    ...headersOf(call).map(([name, value]) => `        '${name}: ${value}',`),
    "    ],",
    ...(json === undefined ? [] : [`    'content' => ${phpText(JSON.stringify(json))},`]),
    "    'ignore_errors' => true, // the body says what is wrong",
    "]]);",
    `$json = file_get_contents(${phpText(url)}, false, $context);`,
    "$body = json_decode($json, true, flags: JSON_THROW_ON_ERROR);",
    "if (isset($body['code'])) {",
    "    throw new RuntimeException(\"{$body['code']}: {$body['message']}\");",
    "}",
    json === undefined
      ? "echo $body['rate'], PHP_EOL; // text, exact: not a float"
      : "echo $body['result']['content'][0]['text'], PHP_EOL; // amounts are text, exact",
  ].join("\n");
}

function phpText(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}

function csharpOf(call: Call): string {
  const { url, headers, json } = call;
  const sent =
    json === undefined
      ? [`using var response = await client.GetAsync(${JSON.stringify(url)});`]
      : [
          // No JSON has three quotes in a row.
          `var json = """${JSON.stringify(json)}""";`,
          "using var response = await client.PostAsync(",
          `    ${JSON.stringify(url)},`,
          '    new StringContent(json, null, "application/json"));',
        ];
  return [
    "using System.Net.Http.Headers;",
    "using System.Text.Json;",
    "",
    'var key = Environment.GetEnvironmentVariable("KURS_API_KEY");',
    "using var client = new HttpClient();",
    'client.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("ApiKey", key);',
    ...Object.entries(headers).map(
      ([name, value]) => `client.DefaultRequestHeaders.Add("${name}", "${value}");`,
    ),
    ...sent,
    "using var body = JsonDocument.Parse(await response.Content.ReadAsStringAsync());",
    "var root = body.RootElement;",
    "if (!response.IsSuccessStatusCode)",
    '    throw new Exception(root.GetProperty("code") + ": " + root.GetProperty("message"));',
    json === undefined
      ? 'Console.WriteLine(root.GetProperty("rate")); // text, exact: not a double'
      : 'Console.WriteLine(root.GetProperty("result").GetProperty("content")[0].GetProperty("text"));',
  ].join("\n");
}

/** A value as TypeScript and Python write it. */
function literal(value: unknown, indent: string): string {
  return JSON.stringify(value, null, 2).replaceAll("\n", `\n${indent}`);
}
