// An agent that converts: a model decides which tools of Kurs to call, over MCP. The digits of a
// rate do not depend on the model: the program prints them from the results of the tools.
//   KURS_URL=… KURS_API_KEY=… OPENAI_API_KEY=… OPENAI_MODEL=… \
//     node agent.ts "What are 1250.50 euros in dollars?"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

/** Each turn of the model may call tools, and each call of a rate costs a unit. */
const MAX_TURNS = 4;
const MAX_CALLS = 5;
const MODEL_TIMEOUT_MS = 60_000;

/** Messages of chat completions, as OpenAI and the services that imitate it define them. */
interface Message {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | null;
  readonly tool_calls?: readonly ToolCall[];
  readonly tool_call_id?: string;
}

interface ToolCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

const {
  KURS_URL: url,
  KURS_API_KEY: key,
  OPENAI_API_KEY: modelKey,
  OPENAI_MODEL: model,
} = process.env;
const { OPENAI_BASE_URL: modelUrl = "https://api.openai.com/v1" } = process.env;
const question = process.argv.slice(2).join(" ");
if (!url || !key || !modelKey || !model || !question) {
  console.error(
    "usage: KURS_URL=… KURS_API_KEY=… OPENAI_API_KEY=… OPENAI_MODEL=… node agent.ts QUESTION",
  );
  process.exit(2);
}

const kurs = new Client({ name: "kurs-example-agent", version: "1.0.0" });
try {
  const requestInit = { headers: { Authorization: `ApiKey ${key}` } };
  const address = new URL(`${url.replace(/\/+$/, "")}/v1/mcp`);
  await kurs.connect(new StreamableHTTPClientTransport(address, { requestInit }));
  console.log(await converse(question));
} catch (error) {
  console.error(`agent: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
} finally {
  await kurs.close();
}

/** @returns the model's answer, a line for each rate that it read, and what all of it cost. */
async function converse(asked: string): Promise<string> {
  const { tools } = await kurs.listTools();
  const offered = tools.map(({ name, description, inputSchema: parameters }) => {
    return { type: "function", function: { name, description, parameters } };
  });
  const messages: Message[] = [
    { role: "system", content: kurs.getInstructions() ?? "" },
    { role: "user", content: asked },
  ];
  const figures: string[] = [];
  let calls = 0;
  let units = 0;
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const message = await complete(messages, offered);
    messages.push(message);
    const wanted = message.tool_calls ?? [];
    if (wanted.length === 0) {
      return [message.content, "", ...figures, `Units charged: ${units}`].join("\n");
    }
    for (const call of wanted) {
      calls += 1;
      if (calls > MAX_CALLS) throw new Error(`the model wants more than ${MAX_CALLS} calls.`);
      const { text, figure, unitsCharged = 0 } = await callTool(call);
      units += unitsCharged;
      if (figure !== undefined) figures.push(figure);
      messages.push({ role: "tool", tool_call_id: call.id, content: text });
    }
  }
  throw new Error(`the model gave no answer within ${MAX_TURNS} turns.`);
}

/** @throws {Error} when the model's service does not respond with a message. */
async function complete(messages: readonly Message[], tools: readonly object[]): Promise<Message> {
  const response = await fetch(`${modelUrl.replace(/\/+$/, "")}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${modelKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages, tools }),
    signal: AbortSignal.timeout(MODEL_TIMEOUT_MS),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`the model's service: ${response.status} ${text}`);
  const { choices } = JSON.parse(text) as { readonly choices?: readonly { message: Message }[] };
  const message = choices?.[0]?.message;
  if (message === undefined) throw new Error(`the model's service sent no message: ${text}`);
  return message;
}

interface Called {
  /** What the model reads: the result, or the error. */
  readonly text: string;
  /** The rate with all of its digits, its time and its source. */
  readonly figure?: string;
  readonly unitsCharged?: number;
}

async function callTool({ function: { name, arguments: json } }: ToolCall): Promise<Called> {
  try {
    const result = await kurs.callTool({ name, arguments: JSON.parse(json) });
    const { content, isError = false, _meta: meta = {} } = result;
    // The publisher is beside the content, which is all that many models are given.
    const text = JSON.stringify({ content, meta });
    const unitsCharged = Number(meta["kurs/units-charged"]);
    if (isError || name === "get_usage") return { text, unitsCharged };
    // Those of get_rate and convert_currency.
    const rate = result.structuredContent as Readonly<Record<string, string>>;
    const converted = rate.result && `${rate.amount} ${rate.base} = ${rate.result} ${rate.quote}: `;
    const missed = meta["kurs/rate-missed"];
    const figure =
      `${converted ?? ""}1 ${rate.base} = ${rate.rate} ${rate.quote}, ` +
      `as of ${rate.as_of}, source ${meta["kurs/rate-source"]}` +
      (missed === undefined ? "" : `, publications missed since: ${missed}`);
    return { text, figure, unitsCharged };
  } catch (error) {
    // Arguments that are no JSON, or a tool that does not exist: the model can correct its call.
    return { text: `error: ${error instanceof Error ? error.message : error}` };
  }
}
