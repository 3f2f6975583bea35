import { visible, visibleLine } from "../shared/text/visible-text.ts";

/** A line of the log, parsed. */
type LogLine = Readonly<Record<string, unknown>>;

/** Colours a text: `paint("31", text)` in red, as terminals number them (ECMA-48, SGR). */
type Paint = (code: string, text: string) => string;

/** The members that every line shows by itself, or that say nothing to a person who watches. */
const shownApart = new Set(["level", "time", "msg", "err"]);

const GREEN = "32";
const YELLOW = "33";
const RED = "31";
const DIM = "2";

/**
 * Makes log lines readable: `16:05:12 GET /v1/rates/:base/:quote 200 0.4 ms svc_live_3f9c21aa`, and
 * `16:05:12 warning: a source failed  source=ecb`. No control character that a client or a
 * publisher sent gets through.
 *
 * @returns a function of whole JSON lines.
 */
export function readableLines(hasColours: boolean): (lines: string) => string {
  const paint: Paint = (code, text) => (hasColours ? `\x1b[${code}m${text}\x1b[0m` : text);
  return (lines) =>
    lines
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => `${readableLine(JSON.parse(line) as LogLine, paint)}\n`)
      .join("");
}

function readableLine(line: LogLine, paint: Paint): string {
  const time = paint(DIM, timeOfDay(String(line.time)));
  const isRequest = "status" in line && "request_id" in line;
  return `${time} ${isRequest ? requestText(line, paint) : messageText(line, paint)}`;
}

/** @param time RFC 3339. @returns the time of day in this machine's zone: `16:05:12`. */
function timeOfDay(time: string): string {
  const date = new Date(time);
  const parts = [date.getHours(), date.getMinutes(), date.getSeconds()];
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}

function requestText(line: LogLine, paint: Paint): string {
  const { method, route, code, duration_us: microseconds, key_prefix: key, rejected } = line;
  const status = Number(line.status);
  const colour = status >= 500 ? RED : status >= 400 ? YELLOW : GREEN;
  const parts = [
    method === undefined ? "(malformed request)" : `${formatValue(method)} ${formatValue(route)}`,
    paint(colour, String(status)),
    code === undefined ? "" : formatValue(code),
    microseconds === undefined ? "" : `${(Number(microseconds) / 1000).toFixed(1)} ms`,
    key === undefined ? "" : formatValue(key),
    rejected === undefined ? "" : `rejected=${formatValue(rejected)}`,
    // With it the line of the cause is found, and what the client reports.
    status >= 500 ? paint(DIM, `request_id=${formatValue(line.request_id)}`) : "",
  ];
  return parts.filter((part) => part !== "").join(" ");
}

const levels: Readonly<Record<string, readonly [name: string, colour: string]>> = {
  warn: ["warning: ", YELLOW],
  error: ["error: ", RED],
  fatal: ["fatal: ", RED],
  debug: ["debug: ", DIM],
  trace: ["trace: ", DIM],
};

/** The message and the other members; an error's stack, which names its causes, below it. */
function messageText(line: LogLine, paint: Paint): string {
  const [level, colour] = levels[String(line.level)] ?? ["", ""];
  const members = Object.entries(line).filter(([name]) => !shownApart.has(name));
  const details = members.map(([name, value]) => `${visibleLine(name)}=${formatValue(value)}`);
  const rest = details.length === 0 ? "" : `  ${paint(DIM, details.join(" "))}`;
  const label = level === "" ? "" : paint(colour, level);
  return `${label}${visibleLine(String(line.msg ?? ""))}${rest}${formatStack(line.err)}`;
}

function formatStack(error: unknown): string {
  if (error === undefined) return "";
  const { stack, message } = Object(error) as { stack?: unknown; message?: unknown };
  const text = visible(String(stack ?? message ?? JSON.stringify(error)));
  return text
    .split("\n")
    .map((line) => `\n    ${line}`)
    .join("");
}

/** A value in a line: a text with a space in quotes, so that its end shows. */
function formatValue(value: unknown): string {
  const isPlain = typeof value === "string" && /^[^\s"=]+$/.test(value);
  return visibleLine(isPlain ? value : JSON.stringify(value));
}
