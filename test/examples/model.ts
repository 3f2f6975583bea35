import assert from "node:assert/strict";
import { text } from "node:stream/consumers";
import { startServer } from "../support/other-server.ts";

interface ModelRequest {
  readonly model: string;
  readonly messages: readonly Readonly<Record<string, unknown>>[];
  readonly tools: readonly { readonly function: { readonly name: string } }[];
}

/** What the model wants in its turns: a call of a tool with arguments as it writes them, or an answer. */
type Turn = { readonly tool: string; readonly json: string } | { readonly answer: string };

/** A server in the place of a vendor's, whose model takes these turns; the last one again and again. */
export async function startModel(...turns: readonly Turn[]) {
  const requests: { readonly authorization: string; readonly body: ModelRequest }[] = [];
  const server = await startServer(async (request, response) => {
    assert.deepEqual([request.method, request.url], ["POST", "/v1/chat/completions"]);
    const body = JSON.parse(await text(request)) as ModelRequest;
    requests.push({ authorization: request.headers.authorization ?? "", body });
    const turn = turns[Math.min(requests.length, turns.length) - 1];
    assert.ok(turn !== undefined);
    const call = (name: string, json: string) => {
      const id = `call_${requests.length}`;
      return { id, type: "function", function: { name, arguments: json } };
    };
    const message =
      "answer" in turn
        ? { role: "assistant", content: turn.answer }
        : { role: "assistant", content: null, tool_calls: [call(turn.tool, turn.json)] };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: "stop" }] }));
  });
  return { ...server, requests, url: `${server.url}/v1/` };
}

/** The call that the question of the documents needs. */
export const converting = {
  tool: "convert_currency",
  json: '{"base":"EUR","quote":"USD","amount":"1250.50"}',
};
