import type { Snippet } from "./components/code-tabs.tsx";
import type { Request } from "./requests.ts";
import { root } from "./router.ts";

// None of them contains the key: a pasted secret ends up in a shell's history.

/** The service's address, as this page was reached. */
export const address = `${location.origin}${root}`.replace(/\/$/, "");

const mcpAddress = `${address}/v1/mcp`;

export function curlOfRead(base: string, quote: string): string {
  return curlOf({ method: "GET", path: `v1/rates/${base}/${quote}`, headers: {} });
}

/** A request in the languages that developers paste. */
export function snippetsOf(request: Request): readonly Snippet[] {
  const note = "KURS_API_KEY is an environment variable that holds the key.";
  return [
    { name: "curl", code: curlOf(request), note },
    { name: "TypeScript", code: typeScriptOf(request), note },
    { name: "MCP", code: json(claudeCode), note: `${claudeCodeNote} Agents then call the tools.` },
  ];
}

function curlOf({ path, headers, json: body }: Request): string {
  const lines = [`curl -s ${quoted(`${address}/${path}`)}`];
  lines.push('  -H "Authorization: ApiKey $KURS_API_KEY"');
  for (const [name, value] of Object.entries(headers))
    lines.push(`  -H ${quoted(`${name}: ${value}`)}`);
  if (body !== undefined) {
    lines.push("  -H 'content-type: application/json'", `  -d ${quoted(JSON.stringify(body))}`);
  }
  return lines.join(" \\\n");
}

/** Quotes a text for a POSIX shell where it needs quotes. */
function quoted(text: string): string {
  return /^[\w./:%-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function typeScriptOf({ method, path, headers, json: body }: Request): string {
  const lines = Object.entries({
    ...headers,
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  }).map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`);
  return [
    `const response = await fetch(${JSON.stringify(`${address}/${path}`)}, {`,
    ...(body === undefined ? [] : [`  method: "${method}",`]),
    "  headers: {",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is the code that is shown
    "    Authorization: `ApiKey ${process.env.KURS_API_KEY}`,",
    ...lines,
    "  },",
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(body)}),`]),
    "});",
    "const body = await response.json();",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is the code that is shown
    "if (!response.ok) throw new Error(`${body.code}: ${body.message}`);",
    body === undefined
      ? "console.log(body.rate); // text, exact: not a number"
      : "console.log(body.result.content[0].text); // amounts are text, exact",
  ].join("\n");
}

function indented(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll("\n", "\n  ");
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

const claudeCodeNote = "In .mcp.json; KURS_API_KEY is an environment variable that holds the key.";

const claudeCode = {
  mcpServers: {
    kurs: {
      type: "http",
      url: mcpAddress,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the client puts the variable in
      headers: { Authorization: "ApiKey ${KURS_API_KEY}" },
    },
  },
};

/** The settings of MCP clients for the service. */
export function clientSnippets(): readonly Snippet[] {
  const isSafeForRemote = address.startsWith("https:") || location.hostname === "localhost";
  const remoteArguments = ["-y", "mcp-remote", mcpAddress, "--transport", "http-only"];
  if (!isSafeForRemote) remoteArguments.push("--allow-http");
  return [
    {
      name: "Claude Code",
      note: "In a shell where KURS_API_KEY holds the key.",
      code: [
        `claude mcp add --transport http kurs ${mcpAddress} \\`,
        '  --header "Authorization: ApiKey $KURS_API_KEY"',
      ].join("\n"),
    },
    {
      name: "Claude Desktop",
      note: "In claude_desktop_config.json, with your key instead of svc_live_….",
      code: json({
        mcpServers: {
          kurs: {
            command: "npx",
            // biome-ignore lint/suspicious/noTemplateCurlyInString: the client puts the variable in
            args: [...remoteArguments, "--header", "Authorization:${AUTHORIZATION}"],
            env: { AUTHORIZATION: "ApiKey svc_live_…" },
          },
        },
      }),
    },
    {
      name: "Cursor",
      note: "In ~/.cursor/mcp.json, with KURS_API_KEY in the environment.",
      code: json({
        mcpServers: {
          // biome-ignore lint/suspicious/noTemplateCurlyInString: the client puts the variable in
          kurs: { url: mcpAddress, headers: { Authorization: "ApiKey ${env:KURS_API_KEY}" } },
        },
      }),
    },
    {
      name: "VS Code",
      note: "In .vscode/mcp.json. It asks for the key once and keeps it.",
      code: json({
        inputs: [
          { type: "promptString", id: "kurs-key", description: "Kurs API key", password: true },
        ],
        servers: {
          kurs: {
            type: "http",
            url: mcpAddress,
            // biome-ignore lint/suspicious/noTemplateCurlyInString: the client puts the input in
            headers: { Authorization: "ApiKey ${input:kurs-key}" },
          },
        },
      }),
    },
    { name: ".mcp.json", note: claudeCodeNote, code: json(claudeCode) },
  ];
}
