import { curlOf, requestInLanguages, type Snippet } from "./languages.ts";
import type { Request } from "./requests.ts";
import { root } from "./router.ts";

/** The service's address, as this page was reached. */
export const address = `${location.origin}${root}`.replace(/\/$/, "");

const mcpAddress = `${address}/v1/mcp`;

export function curlOfRead(base: string, quote: string): string {
  return curlOf({ url: `${address}/v1/rates/${base}/${quote}`, headers: {} });
}

/** A request in the languages that developers paste, and as the settings of an MCP client. */
export function snippetsOf(request: Request): readonly Snippet[] {
  return [
    ...requestInLanguages(request, address),
    {
      name: "MCP",
      language: "json",
      code: json(claudeCode),
      note: `${claudeCodeNote} Agents then call the tools.`,
    },
  ];
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
      language: "shell",
      note: "In a shell where KURS_API_KEY holds the key.",
      code: [
        `claude mcp add --transport http kurs ${mcpAddress} \\`,
        '  --header "Authorization: ApiKey $KURS_API_KEY"',
      ].join("\n"),
    },
    {
      name: "Claude Desktop",
      language: "json",
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
      language: "json",
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
      language: "json",
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
    { name: ".mcp.json", language: "json", note: claudeCodeNote, code: json(claudeCode) },
  ];
}
