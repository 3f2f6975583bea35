import assert from "node:assert/strict";
import { after } from "node:test";
import { ProtocolError, SdkHttpError } from "@modelcontextprotocol/client";
import { assertCommonHeaders } from "../../support/assertions.ts";
import type { Call, Client } from "../../support/client.ts";
import { eras as clients, connectMcp } from "../../support/mcp-client.ts";
import { failureIn, type RpcAnswer } from "./answers.ts";
import { callOf, type Era, type Members, PATH, type Posted, requestOf } from "./messages.ts";

/** A way to call a tool: a message of an era, in one of its forms, or the official client. */
interface Door {
  readonly name: string;
  open(service: Pick<Client, "post"> & { readonly url: string }, apiKey: string): Promise<OpenDoor>;
}

export interface OpenDoor extends AsyncDisposable {
  /** @throws {Rejected} when the request as a whole is rejected. */
  call(tool: string, given?: unknown): Promise<RpcAnswer>;
}

/** The response to a request that was rejected as a whole. */
export class Rejected extends Error {
  readonly status: number;
  readonly body: Members;

  constructor(status: number, body: Members) {
    super(`${status} ${JSON.stringify(body)}`);
    this.status = status;
    this.body = body;
  }
}

/** The same call in a form that direct calls leave to the SDK. */
export const forSdk = ({ headers, json }: Posted): Posted => ({
  headers,
  json: { ...json, params: { ...(json.params as object), task: {} } },
});

/** A request with a cookie, which the fast path leaves to node:http. */
const besideFastPath = ({ headers, json }: Posted): Posted => ({
  headers: { ...headers, cookie: "a=b" },
  json,
});

const inBatch = ({ headers, json }: Posted): Call => ({
  headers,
  json: [json, requestOf("2025", "ping", {}, "ping").json],
});

const posting = (name: string, era: Era, form: (call: Posted) => Call): Door => ({
  name,
  async open(service, apiKey) {
    return {
      async call(tool, given = {}) {
        const call = form(callOf(era, tool, given as Members));
        const answer = await service.post(PATH, { apiKey, ...call });
        if (answer.status >= 400) throw new Rejected(answer.status, answer.body);
        assert.equal(answer.status, 200, answer.text);
        assertCommonHeaders(answer);
        const [rpc] = [JSON.parse(answer.text)].flat() as [RpcAnswer];
        if (rpc.result?.isError) {
          assert.equal(failureIn(rpc).request_id, answer.headers["x-request-id"]);
        }
        return rpc;
      },
      [Symbol.asyncDispose]: async () => undefined,
    };
  },
});

const connecting = ({ name, mode }: (typeof clients)[number]): Door => ({
  name: `a client ${name}`,
  async open({ url }, apiKey) {
    const mcp = await connectMcp(url, { mode, authorization: `ApiKey ${apiKey}` });
    // From then on the client validates results.
    await mcp.client.listTools();
    return {
      async call(tool, given) {
        try {
          const result = await mcp.call(tool, given as Record<string, unknown>);
          return { id: undefined, result: result as NonNullable<RpcAnswer["result"]> };
        } catch (error) {
          if (error instanceof SdkHttpError) {
            throw new Rejected(error.status ?? 0, JSON.parse(String(error.data.text)));
          }
          if (!(error instanceof ProtocolError)) throw error;
          const { code, message } = error;
          return { id: undefined, error: { code, message } };
        }
      },
      [Symbol.asyncDispose]: () => mcp[Symbol.asyncDispose](),
    };
  },
});

const direct = (call: Posted) => call;

/** Every way to call a tool. */
const doors: readonly Door[] = [
  posting("2025, a direct call", "2025", direct),
  posting("2025, by node:http", "2025", besideFastPath),
  posting("2025, by the SDK", "2025", forSdk),
  posting("2025, in a batch", "2025", inBatch),
  posting("2026, a direct call", "2026", direct),
  posting("2026, by node:http", "2026", besideFastPath),
  posting("2026, by the SDK", "2026", forSdk),
  ...clients.map(connecting),
];

/** Opens every door with a key, until the end of the test or of the file. */
export async function openAll(
  service: Parameters<Door["open"]>[0],
  apiKey: string,
): Promise<readonly (readonly [name: string, door: OpenDoor])[]> {
  await using opening = new AsyncDisposableStack();
  const opened: [string, OpenDoor][] = [];
  for (const { name, open } of doors) {
    opened.push([name, opening.use(await open(service, apiKey))]);
  }
  const open = opening.move();
  after(() => open.disposeAsync());
  return opened;
}
