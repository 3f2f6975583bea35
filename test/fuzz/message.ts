/** A request before it is bytes. */
export interface Message {
  readonly method: string;
  readonly target: string;
  readonly version: string;
  /** Names and values, in latin1, besides those that say where the body ends. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: Buffer;
  /** Whether the body comes in chunks. */
  readonly isChunked?: boolean;
}

/** Sets a header, in place of all that were of its name. */
export function withHeader(message: Message, name: string, value: string): Message {
  return { ...message, headers: [...withoutHeader(message, name).headers, [name, value]] };
}

export function withoutHeader(message: Message, name: string): Message {
  const headers = message.headers.filter(([own]) => own.toLowerCase() !== name.toLowerCase());
  return { ...message, headers };
}

/** The values of a header, as many as there are. */
export function valuesOf({ headers }: Message, name: string): readonly string[] {
  return headers.filter(([own]) => own.toLowerCase() === name).map(([, value]) => value);
}

const CHUNK_BYTES = 7;

/** Writes a request down, its body with the length that it has. */
export function bytesOf(message: Message): Buffer {
  const { method, target, version, headers, body, isChunked = false } = message;
  const lines = [`${method} ${target} ${version}`, ...headers.map((pair) => pair.join(": "))];
  if (body !== undefined) {
    lines.push(isChunked ? "Transfer-Encoding: chunked" : `Content-Length: ${body.length}`);
  }
  const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  if (body === undefined) return head;
  return Buffer.concat([head, isChunked ? chunksOf(body) : body]);
}

function chunksOf(body: Buffer): Buffer {
  const parts: Buffer[] = [];
  // Few large ones behind the first, small one: a chunk for every seven bytes proves no more.
  for (let start = 0; start < body.length; ) {
    const chunk = body.subarray(start, start + (start === 0 ? CHUNK_BYTES : body.length));
    parts.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n"));
    start += chunk.length;
  }
  return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")]);
}
