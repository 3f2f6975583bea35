import { SaxesParser, type SaxesTagPlain } from "saxes";
import { publicationTime } from "../../rules/publication-time.ts";
import type { RateLine, RateLineReader } from "../../source.ts";
import { isHtml } from "../formats/source-lines.ts";

/** The parser keeps a tag or a comment until it ends; the ECB's take less than 200 characters. */
const MARKUP_CHARACTERS_MAX = 65_536;

/** The ECB's elements are four deep. */
const DEPTH_MAX = 32;

const SLICE_BYTES = 65_536;

/** A decoder replaces bytes that are not UTF-8 with this. */
const REPLACEMENT_CHARACTER = "\uFFFD";

/** The ECB states only a date; its page on the rates: "updated at around 16:00 CET". */
export const ECB_PUBLISHED_AT = { time: "16:00", timeZone: "Europe/Berlin" } as const;

const ODD_CUBE = "a Cube has no attribute, or time alone, or currency and rate";
const STOPPED = "the document cannot be read from here on";

/**
 * Reads the ECB's euro foreign exchange reference rates: the daily file, or the history with a
 * dated Cube for every day. The base is EUR; a date counts as 16:00 Europe/Berlin of that day.
 *
 * @returns the rates up to the document's end or its first fault; the fault is a line of its own,
 *   with the reason.
 */
export const readEcbXml: RateLineReader = async function* (input) {
  const document = new EcbDocument();
  const decoder = new TextDecoder("utf-8");
  for await (const chunk of input) {
    for (let start = 0; start < chunk.length; start += SLICE_BYTES) {
      const bytes = chunk.subarray(start, start + SLICE_BYTES);
      const lines = document.write(decoder.decode(bytes, { stream: true }));
      if (lines.length > 0) yield lines;
      if (document.stopped) return;
    }
  }
  yield document.end(decoder.decode());
};

/** The time of the rates within an element; undefined until one is stated. */
type RatesTime = string | "unreadable" | undefined;

/** Reads one document, from its first character to its end or its first fault. */
export class EcbDocument {
  /** Whether a fault was found: the rest is not read. */
  stopped = false;

  readonly #parser = new SaxesParser();
  readonly #times: RatesTime[] = [];
  #lines: RateLine[] = [];
  #isEmpty = true;
  #charactersGiven = 0;
  #markupStart = { position: 0, line: 1 };

  constructor() {
    this.#parser.on("opentag", (tag) => this.#open(tag));
    this.#parser.on("closetag", () => this.#close());
    // Entities are declared in a document type. The parser would expand none of them, and the
    // ECB's file has no document type: a file with one is something else.
    this.#parser.on("doctype", () => this.#parser.fail("it has a document type declaration"));
  }

  /** Reads the next part of the document. @returns the lines found in it. */
  write(text: string): readonly RateLine[] {
    this.#attempt(() => {
      const damage = text.indexOf(REPLACEMENT_CHARACTER);
      const sound = damage === -1 ? text : text.slice(0, damage);
      if (this.#charactersGiven === 0 && isHtml(text)) this.#parser.fail("it is an HTML page");
      this.#charactersGiven += sound.length;
      this.#parser.write(sound);
      if (damage !== -1) this.#parser.fail("it is not valid UTF-8");
    });
    return this.#takeLines();
  }

  /** Reads the last part of the document. @returns the lines found in it. */
  end(text: string): readonly RateLine[] {
    const lines = this.write(text);
    this.#attempt(() => {
      this.#parser.close();
      if (this.#isEmpty) this.#reject("the document holds no rate", 1);
    });
    return [...lines, ...this.#takeLines()];
  }

  #takeLines(): readonly RateLine[] {
    const taken = this.#lines;
    this.#lines = [];
    return taken;
  }

  #attempt(read: () => void): void {
    if (this.stopped) return;
    let fault: unknown;
    try {
      read();
      if (!this.#markupIsTooLong()) return;
    } catch (error) {
      fault = error;
    }
    this.stopped = true;
    if (this.#markupIsTooLong()) {
      const problem = `over ${MARKUP_CHARACTERS_MAX} characters without a tag`;
      this.#reject(`${STOPPED}: ${problem}`, this.#markupStart.line);
    } else {
      this.#reject(`${STOPPED}: ${describeFault(fault)}`);
    }
  }

  #markupIsTooLong(): boolean {
    return this.#position() - this.#markupStart.position > MARKUP_CHARACTERS_MAX;
  }

  #position(): number {
    // After a write, the parser's own position counts the characters of that write twice.
    return Math.min(this.#parser.position, this.#charactersGiven);
  }

  /** Called at the end of every tag: finds markup that is too long however the text is cut. */
  #endMarkup(): void {
    if (this.#markupIsTooLong()) this.#parser.fail("too long");
    this.#markupStart = { position: this.#position(), line: this.#parser.line };
  }

  #open(tag: SaxesTagPlain): void {
    this.#endMarkup();
    if (this.#times.length >= DEPTH_MAX) this.#parser.fail(`it is over ${DEPTH_MAX} elements deep`);
    const time = this.#times.at(-1);
    this.#times.push(tag.name === "Cube" ? this.#readCube(tag.attributes, time) : time);
  }

  #close(): void {
    this.#endMarkup();
    this.#times.pop();
  }

  /** @returns the time of the rates within this Cube. */
  #readCube(attributes: Record<string, string>, time: RatesTime): RatesTime {
    if (time === "unreadable") return time;
    const { time: date = "", currency = "", rate = "" } = attributes;
    switch (Object.keys(attributes).sort().join(" ")) {
      case "":
        return time;
      case "time":
        return this.#readDate(date);
      case "currency rate":
        this.#readRate(currency, rate, time);
        return time;
      default:
        this.#reject(`${ODD_CUBE}: this one and everything in it is skipped`);
        return "unreadable";
    }
  }

  #readDate(date: string): RatesTime {
    const time = publicationTime(date, ECB_PUBLISHED_AT.time, ECB_PUBLISHED_AT.timeZone);
    if (time !== undefined) return time;
    this.#reject("time is not a date such as 2026-03-13: the rates under it are skipped");
    return "unreadable";
  }

  #readRate(quote: string, rate: string, time: string | undefined): void {
    if (time === undefined) {
      this.#reject("the rate has no date: no Cube around it has a time");
      return;
    }
    this.#isEmpty = false;
    this.#lines.push({ line: this.#parser.line, base: "EUR", quote, rate, asOf: time });
  }

  #reject(reason: string, line = this.#parser.line): void {
    this.#isEmpty = false;
    this.#lines.push({ line, reason });
  }
}

/** The parser's messages look like `12:34: undefined entity.` */
function describeFault(error: unknown): string {
  if (!(error instanceof Error)) return "";
  return error.message
    .replace(/^[0-9]+:[0-9]+: /, "")
    .replace(/\.$/, "")
    .slice(0, 200);
}
