// User and password end at the last @: a password with an unencoded @ must not leak into the hosts,
// which are shown to people.
const address = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#]*)([/?][^@\s]*)?$/;

/** The modes in which libpq never falls back to another (PostgreSQL, section 32.19.3). */
const tlsModes = ["disable", "require", "verify-ca", "verify-full"];

const tlsFiles = ["sslrootcert", "sslcert", "sslkey"];

/**
 * Parses an address in the form of `DATABASE_URL`. As in libpq, commas separate several hosts:
 * `postgres://user:password@one:5432,two:5432/kurs` (PostgreSQL, section 32.1.1.3), and a host may
 * be the directory of a Unix socket: `postgres://user@/kurs?host=/run/postgresql`.
 *
 * @returns the hosts in their order; `undefined` for an invalid address.
 */
export function parseDatabaseUrl(text: string): readonly DatabaseHost[] | undefined {
  const [, scheme = "", user = "", authority = "", rest = ""] = address.exec(text) ?? [];
  const [path = ""] = rest.split("?");
  const options = parseOptions(rest);
  const named = options.get("host");
  const places =
    named === null
      ? authority.split(",").map(parseHost)
      : parseHosts(named, options.get("port") ?? "", options);
  const query = named === null ? rest.slice(path.length) : formatOptions(options);
  const parsed = places.map(({ host, port }) => {
    const name = port === "" ? host : `${host}:${port}`;
    if (!host.startsWith("/")) return { name, url: `${scheme}${user}${name}${path}${query}` };
    const local = new URLSearchParams(options);
    local.set("host", host);
    if (port !== "") local.set("port", port);
    return { name, url: `${scheme}${user}${path || "/"}${formatOptions(local)}` };
  });
  const isGood = scheme !== "" && parsed.every(({ name, url }) => isHost(name, url));
  return isGood ? parsed : undefined;
}

/** @returns a sentence for each problem with the address's options. */
export function databaseOptionProblems(text: string): string[] {
  const options = parseOptions(text);
  const mode = options.get("sslmode");
  const problems: string[] = [];
  const unknown = [...options.keys()].filter(
    (name) => name.startsWith("ssl") && name !== "sslmode" && !tlsFiles.includes(name),
  );
  if (unknown.length > 0) problems.push(`unknown option ${unknown.join(", ")}`);
  if (mode !== null && !tlsModes.includes(mode)) {
    problems.push(`sslmode must be disable, require, verify-ca or verify-full, not "${mode}"`);
  }
  const files = tlsFiles.filter((name) => options.has(name));
  if (files.length > 0 && (mode === null || mode === "disable")) {
    problems.push(`${files.join(", ")} needs sslmode=require, verify-ca or verify-full`);
  }
  if (mode === "verify-ca" && !options.has("sslrootcert")) {
    problems.push("sslmode=verify-ca needs sslrootcert");
  }
  if (options.has("sslcert") !== options.has("sslkey")) {
    problems.push("sslcert and sslkey go together");
  }
  return problems;
}

/** The options of an address, which follow its question mark. */
function parseOptions(text: string): URLSearchParams {
  return new URLSearchParams(text.split("?")[1] ?? "");
}

/** @returns the options encoded for an address; libpq does not decode + as a space. */
function formatOptions(options: URLSearchParams): string {
  return options.size === 0 ? "" : `?${options.toString().replaceAll("+", "%20")}`;
}

/** @returns the address of all hosts without its secrets. */
export function redactDatabaseUrl(hosts: readonly DatabaseHost[]): string {
  const [, scheme = "", user = "", authority = "", rest = ""] =
    address.exec(hosts[0]?.url ?? "") ?? [];
  const [path = ""] = rest.split("?");
  const options = parseOptions(rest);
  for (const name of [...options.keys()]) if (/password/i.test(name)) options.delete(name);
  const [login = ""] = user.split(/[:@]/);
  const names = authority === "" ? "" : hosts.map(({ name }) => name).join(",");
  return `${scheme}${login === "" ? "" : `${login}@`}${names}${path}${formatOptions(options)}`;
}

interface Place {
  /** A name, an address or the directory of a Unix socket. */
  readonly host: string;
  readonly port: string;
}

/** The host may be a socket's directory with its slashes encoded. */
function parseHost(text: string): Place {
  const [, directory, port = ""] = /^(%2f[^:]*)(?::(.*))?$/i.exec(text) ?? [];
  if (directory === undefined) return { host: text, port: "" };
  const isEncoded = !/%(?![0-9a-f]{2})/i.test(directory);
  return { host: isEncoded ? decodeURIComponent(directory) : "", port };
}

/** The hosts in the option `host` replace those before the path, as in libpq. */
function parseHosts(named: string, portList: string, options: URLSearchParams): Place[] {
  options.delete("host");
  options.delete("port");
  const ports = portList.split(",");
  return named.split(",").map((host, index) => ({
    host: host.includes(":") ? `[${host}]` : host,
    port: ports[ports.length === 1 ? 0 : index] ?? "",
  }));
}

function isHost(name: string, url: string): boolean {
  if (!name.startsWith("/")) return Boolean(URL.parse(url)?.hostname);
  // Node's URL does not accept a user without a host.
  const port = parseOptions(url).get("port") ?? "";
  return URL.parse(`postgres://socket:${port}/`) !== null && !/\s/.test(name);
}

/** A host of a PostgreSQL cluster. */
export interface DatabaseHost {
  /** The name to show to people: without user and password. */
  readonly name: string;
  /** The address of this host alone. */
  readonly url: string;
}

/** The engine of the store: SQLite with the embedded database, or PostgreSQL at `DATABASE_URL`. */
export type DatabaseSettings =
  | { readonly engine: "sqlite" }
  | { readonly engine: "postgres"; readonly hosts: readonly DatabaseHost[] };

/** The location of the store. */
export interface StoreSettings {
  /** Where the embedded database is. */
  readonly dataDirectory: string;
  readonly database: DatabaseSettings;
  /** Where backups of the embedded database go. */
  readonly backupDirectory: string;
}

/** How a process opens its store, and how long it waits for it. */
export interface StoreTimeouts {
  /** How long to wait, blocking, while another process writes to the embedded database. */
  readonly busyTimeoutMs: number;
  /** Whether to check the whole embedded database as for a server. */
  readonly isServer: boolean;
  /** Whether to create an embedded database where there is none. */
  readonly makesStore: boolean;
  /** The most connections to PostgreSQL. */
  readonly connectionsMax: number;
  /** The longest run time of a statement on PostgreSQL; 0: no limit. */
  readonly statementTimeoutMs: number;
  /** The longest wait for a connection to PostgreSQL. */
  readonly connectTimeoutMs: number;
}

/** For a server: waiting delays no response by more than two seconds. */
export const serverTimeouts: StoreTimeouts = {
  busyTimeoutMs: 1000,
  isServer: true,
  makesStore: true,
  connectionsMax: 10,
  statementTimeoutMs: 1500,
  connectTimeoutMs: 1000,
};

/** For a command, which can wait while a busy server uses the store. */
export const commandTimeouts: StoreTimeouts = {
  busyTimeoutMs: 30_000,
  isServer: false,
  makesStore: false,
  connectionsMax: 2,
  statementTimeoutMs: 0,
  connectTimeoutMs: 5000,
};
