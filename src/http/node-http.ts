/**
 * What is used of node:http's own names. An import statement would read every name that it has,
 * and WebSocket among them loads the whole of undici: 33 ms and 15 MB of a start.
 */
export const { IncomingMessage, METHODS, STATUS_CODES, ServerResponse } =
  process.getBuiltinModule("node:http");
