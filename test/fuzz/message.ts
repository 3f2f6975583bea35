/** A request before its serialization. */
export interface Message {
  readonly method: string;
  readonly target: string;
  readonly version: string;
  /** Names and values in latin1, without Content-Length and Transfer-Encoding. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: Buffer;
  /** Whether the body is sent in chunks. */
  readonly isChunked?: boolean;
}

/** Replaces every header of a name. */
export function withHeader(message: Message, name: string, value: string): Message {
  return { ...message, headers: [...withoutHeader(message, name).headers, [name, value]] };
}

export function withoutHeader(message: Message, name: string): Message {
  const headers = message.headers.filter(([own]) => own.toLowerCase() !== name.toLowerCase());
  return { ...message, headers };
}

/** All values of a header. */
export function valuesOf({ headers }: Message, name: string): readonly string[] {
  return headers.filter(([own]) => own.toLowerCase() === name).map(([, value]) => value);
}

const CHUNK_BYTES = 7;

/** Serializes a request, with the right length of its body. */
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
  // One small chunk and one large one: more small chunks would test nothing new.
  for (let start = 0; start < body.length; ) {
    const chunk = body.subarray(start, start + (start === 0 ? CHUNK_BYTES : body.length));
    parts.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n"));
    start += chunk.length;
  }
  return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")]);
}
