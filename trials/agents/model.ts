import { json } from "node:stream/consumers";
import { startServer } from "../../test/support/other-server.ts";

const CALL = { base: "EUR", quote: "USD" };

/**
 * A fake of the interfaces of Anthropic, Google and OpenAI: a model that asks for the tool whose name
 * ends with `get_rate`, and then repeats what it got.
 */
export const startModel = () =>
  startServer(async (request, response) => {
    const body: unknown = request.method === "POST" ? await json(request) : {};
    const { url = "" } = request;
    const isAnthropic = url.includes("/messages");
    const isGoogle = /generateContent/i.test(url);
    const events = isAnthropic
      ? anthropic(body as AnthropicRequest)
      : isGoogle
        ? google(body as GoogleRequest)
        : openAi(body as OpenAiRequest);
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of events) {
      const { type } = event as { readonly type?: string };
      const name = type === undefined ? "" : `event: ${type}\n`;
      response.write(`${name}data: ${JSON.stringify(event)}\n\n`);
    }
    response.end(isAnthropic || isGoogle ? "" : "data: [DONE]\n\n");
  });

const isWanted = (name: string) => name.endsWith("get_rate");

interface AnthropicRequest {
  readonly tools?: readonly { readonly name: string }[];
  readonly messages?: readonly { readonly content: unknown }[];
}

/** https://docs.anthropic.com/en/api/messages-streaming */
function anthropic({ tools = [], messages = [] }: AnthropicRequest): readonly object[] {
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const result = parts.findLast(({ type }) => type === "tool_result") as
    | { readonly content: unknown }
    | undefined;
  const name = tools.map((tool) => tool.name).find(isWanted);
  const calls = result === undefined && name !== undefined;
  const block = calls
    ? { type: "tool_use", id: "toolu_1", name, input: {} }
    : { type: "text", text: "" };
  const delta = calls
    ? { type: "input_json_delta", partial_json: JSON.stringify(CALL) }
    : { type: "text_delta", text: result === undefined ? "no tool" : textOf(result.content) };
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: "msg_1", type: "message", role: "assistant", model: "fake", content: [] };
  return [
    { type: "message_start", message: { ...message, stop_reason: null, usage } },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: calls ? "tool_use" : "end_turn" }, usage },
    { type: "message_stop" },
  ];
}

interface GoogleRequest {
  readonly tools?: readonly {
    readonly functionDeclarations?: readonly { readonly name: string }[];
  }[];
  readonly contents?: readonly { readonly parts?: readonly Readonly<Record<string, unknown>>[] }[];
}

/** https://ai.google.dev/api/generate-content */
function google({ tools = [], contents = [] }: GoogleRequest): readonly object[] {
  const parts = contents.flatMap((content) => content.parts ?? []);
  const result = parts.findLast((part) => part.functionResponse !== undefined)?.functionResponse;
  const names = tools.flatMap((tool) => tool.functionDeclarations ?? []).map(({ name }) => name);
  const name = names.find(isWanted);
  const part =
    result === undefined && name !== undefined
      ? { functionCall: { name, args: CALL } }
      : { text: result === undefined ? "no tool" : JSON.stringify(result) };
  return [
    { candidates: [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }] },
  ];
}

interface OpenAiRequest {
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
  readonly messages?: readonly { readonly role: string; readonly content: unknown }[];
}

/** https://platform.openai.com/docs/api-reference/chat-streaming */
function openAi({ tools = [], messages = [] }: OpenAiRequest): readonly object[] {
  const result = messages.findLast(({ role }) => role === "tool");
  const name = tools.map((tool) => tool.function.name).find(isWanted);
  const calls = result === undefined && name !== undefined;
  const call = { name, arguments: JSON.stringify(CALL) };
  const delta = calls
    ? {
        role: "assistant",
        tool_calls: [{ index: 0, id: "call_1", type: "function", function: call }],
      }
    : { role: "assistant", content: result === undefined ? "no tool" : textOf(result.content) };
  const chunk = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "fake" };
  const finish = calls ? "tool_calls" : "stop";
  return [
    { ...chunk, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: finish }] },
  ];
}

function textOf(content: unknown): string {
  return typeof content === "string" ? content : JSON.stringify(content);
}
