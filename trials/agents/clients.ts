import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** What a client gets to read a rate. */
export interface Place {
  /** Where its packages are installed. */
  readonly directory: string;
  /** The address of MCP. */
  readonly url: string;
  readonly apiKey: string;
  /** A folder for its settings, new for each run. */
  readonly home: string;
  /** The fake model's address. */
  readonly modelUrl: string;
}

/** A command to run in the client's folder. */
export interface Run {
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A program or library that speaks MCP. */
export interface AgentClient {
  readonly name: string;
  /** With exact versions; the first one is the client. */
  readonly packages: readonly string[];
  /** What a run does, for the table. */
  readonly tried: string;
  /** Whether its user reads something else than our failure, such as a failed validation. */
  readonly hidesFailures?: true;
  /** Prepares a run that prints what the client's user reads. */
  readonly prepare: (place: Place) => Promise<Run>;
}

const CALL = { base: "EUR", quote: "USD" };
const headerOf = (apiKey: string) => `ApiKey ${apiKey}`;
const bin = ({ directory }: Place, name: string) => join(directory, "node_modules/.bin", name);

/** A library, which a script calls: it finds KURS_MCP and KURS_API_KEY in its environment. */
function library(name: string, packages: readonly string[], script: string): AgentClient {
  return {
    name,
    packages,
    tried: "a call of get_rate by its MCP client",
    async prepare({ directory, url, apiKey, home }) {
      const file = join(directory, "read-rate.mjs");
      const head = `const url = process.env.KURS_MCP;
const headers = { Authorization: "ApiKey " + process.env.KURS_API_KEY };
const call = ${JSON.stringify(CALL)};\n`;
      const imports = script.match(/^import .*$/gm) ?? [];
      const body = script.replaceAll(/^import .*\n/gm, "");
      await writeFile(file, `${imports.join("\n")}\n${head}${body}`);
      const env = { KURS_MCP: url, KURS_API_KEY: apiKey, HOME: home };
      return { command: [process.execPath, file], env };
    },
  };
}

/** The settings of docs/mcp.md. @param variable how the client writes a variable of the environment. */
const settingsOf = ({ url }: Place, variable: string) => ({
  url,
  headers: { Authorization: `ApiKey ${variable}` },
});

export const clients: readonly AgentClient[] = [
  {
    name: "Claude Code",
    packages: ["@anthropic-ai/claude-code@2.1.332"],
    tried: "`claude -p` with the settings of .mcp.json, against a fake model",
    async prepare(place) {
      const file = join(place.home, "mcp.json");
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the client puts the variable in
      const kurs = { type: "http", ...settingsOf(place, "${KURS_API_KEY}") };
      await writeFile(file, JSON.stringify({ mcpServers: { kurs } }));
      const options = ["--mcp-config", file, "--strict-mcp-config"];
      const allowed = ["--allowedTools", "mcp__kurs__get_rate"];
      return {
        command: [bin(place, "claude"), "-p", "EUR in USD?", ...options, ...allowed],
        env: {
          HOME: place.home,
          KURS_API_KEY: place.apiKey,
          ANTHROPIC_BASE_URL: place.modelUrl,
          ANTHROPIC_API_KEY: "fake",
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
          DISABLE_AUTOUPDATER: "1",
          ENABLE_TOOL_SEARCH: "false",
        },
      };
    },
  },
  {
    name: "Gemini CLI",
    packages: ["@google/gemini-cli@0.61.0"],
    tried: "`gemini -p` with its settings.json, against a fake model",
    hidesFailures: true,
    async prepare(place) {
      await mkdir(join(place.home, ".gemini"), { recursive: true });
      const { url: httpUrl, headers } = settingsOf(place, "$KURS_API_KEY");
      const settings = {
        mcpServers: { kurs: { httpUrl, headers, trust: true } },
        security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true, enableAutoUpdate: false },
        telemetry: { enabled: false },
      };
      await writeFile(join(place.home, ".gemini/settings.json"), JSON.stringify(settings));
      return {
        command: [
          bin(place, "gemini"),
          "--skip-trust",
          "-y",
          "-m",
          "gemini-2.5-flash",
          "-p",
          "EUR in USD?",
        ],
        env: {
          HOME: place.home,
          KURS_API_KEY: place.apiKey,
          GEMINI_API_KEY: "fake",
          GOOGLE_GEMINI_BASE_URL: place.modelUrl,
          GEMINI_CLI_NO_RELAUNCH: "true",
        },
      };
    },
  },
  {
    name: "opencode",
    packages: ["opencode-ai@1.18.33"],
    tried: "`opencode run` with its opencode.json, against a fake model",
    async prepare(place) {
      const options = { baseURL: `${place.modelUrl}/v1`, apiKey: "fake" };
      const npm = "@ai-sdk/openai-compatible";
      const settings = {
        $schema: "https://opencode.ai/config.json",
        autoupdate: false,
        share: "disabled",
        model: "fake/fake",
        small_model: "fake/fake",
        provider: { fake: { npm, options, models: { fake: { name: "fake" } } } },
        mcp: {
          kurs: {
            type: "remote",
            ...settingsOf(place, "{env:KURS_API_KEY}"),
            oauth: false,
            enabled: true,
          },
        },
      };
      await writeFile(join(place.home, "opencode.json"), JSON.stringify(settings));
      return {
        command: [bin(place, "opencode"), "run", "EUR in USD?"],
        env: {
          HOME: place.home,
          KURS_API_KEY: place.apiKey,
          XDG_DATA_HOME: join(place.home, "data"),
          XDG_CONFIG_HOME: join(place.home, "config"),
          OPENCODE_CONFIG: join(place.home, "opencode.json"),
          OPENCODE_DISABLE_AUTOUPDATE: "1",
          OPENCODE_DISABLE_MODELS_FETCH: "1",
        },
      };
    },
  },
  {
    name: "mcporter",
    packages: ["mcporter@0.12.3"],
    tried: "`mcporter call` with its mcporter.json",
    async prepare(place) {
      const file = join(place.home, "mcporter.json");
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the client puts the variable in
      const { url: baseUrl, headers } = settingsOf(place, "${KURS_API_KEY}");
      await writeFile(file, JSON.stringify({ mcpServers: { kurs: { baseUrl, headers } } }));
      const call = ["call", "kurs.get_rate", "base=EUR", "quote=USD"];
      return {
        command: [bin(place, "mcporter"), "--config", file, ...call],
        env: { HOME: place.home, KURS_API_KEY: place.apiKey },
      };
    },
  },
  {
    name: "MCP inspector",
    packages: ["@modelcontextprotocol/inspector@2.12.0"],
    tried: "`inspector --cli`, a call of get_rate",
    async prepare(place) {
      const header = ["--header", `Authorization: ${headerOf(place.apiKey)}`];
      const call = ["--method", "tools/call", "--tool-name", "get_rate"];
      const args = ["--tool-args-json", JSON.stringify(CALL)];
      const to = ["--cli", place.url, "--transport", "http"];
      return {
        command: [bin(place, "inspector"), ...to, ...header, ...call, ...args],
        env: { HOME: place.home },
      };
    },
  },
  {
    ...library(
      "mcp-remote (for clients of stdio)",
      ["mcp-remote@0.15.1", "@modelcontextprotocol/client@2.4.0"],
      `import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
const command = "node_modules/.bin/mcp-remote";
const args = [url, "--transport", "http-only", "--header", "Authorization:\${KURS_HEADER}"];
const env = { ...process.env, KURS_HEADER: headers.Authorization };
const client = new Client({ name: "trial", version: "1" });
await client.connect(new StdioClientTransport({ command, args, env }));
const result = await client.callTool({ name: "get_rate", arguments: call });
console.log(result.content[0].text);
await client.close();
`,
    ),
    tried: "a call of get_rate through the bridge",
  },
  library(
    "LangChain",
    ["@langchain/mcp-adapters@1.1.4", "@langchain/core@1.4.0"],
    `import { MultiServerMCPClient } from "@langchain/mcp-adapters";
const client = new MultiServerMCPClient({ mcpServers: { kurs: { transport: "http", url, headers } } });
const tools = await client.getTools();
const result = await tools.find(({ name }) => name.endsWith("get_rate")).invoke(call);
console.log(JSON.stringify(result));
await client.close();
`,
  ),
  library(
    "Mastra",
    ["@mastra/mcp@2.0.0", "@mastra/core@1.71.0"],
    `import { MCPClient } from "@mastra/mcp";
const server = { url: new URL(url), requestInit: { headers } };
const client = new MCPClient({ servers: { kurs: server } });
const tools = await client.listTools();
const result = await tools.kurs_get_rate.execute(call, {});
console.log(JSON.stringify(result));
await client.disconnect();
`,
  ),
  library(
    "AI SDK",
    ["@ai-sdk/mcp@2.0.99", "ai@7.0.173"],
    `import { createMCPClient } from "@ai-sdk/mcp";
const client = await createMCPClient({ transport: { type: "http", url, headers } });
const tools = await client.tools();
const result = await tools.get_rate.execute(call, { toolCallId: "1", messages: [] });
console.log(JSON.stringify(result));
await client.close();
`,
  ),
  library(
    "OpenAI Agents",
    ["@openai/agents@0.20.0"],
    `import { MCPServerStreamableHttp, getAllMcpTools } from "@openai/agents";
const server = new MCPServerStreamableHttp({ name: "kurs", url, requestInit: { headers } });
await server.connect();
const tools = await getAllMcpTools({ mcpServers: [server], convertSchemasToStrict: true });
const loose = tools.filter(({ strict }) => strict !== true).map(({ name }) => name);
if (loose.length > 0) throw new Error("not strict: " + loose);
const result = await server.callTool("get_rate", call);
console.log(JSON.stringify(result));
await server.close();
`,
  ),
];
