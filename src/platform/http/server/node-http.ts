/**
 * The members of node:http that the service uses. An import statement would read all of them, and
 * WebSocket among them loads all of undici: 33 ms and 15 MB at startup.
 */
export const { STATUS_CODES } = process.getBuiltinModule("node:http");
