import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { Clock } from "../../src/platform/shared/clock.ts";
import type { PublicationLimits } from "../../src/rates/sources/fetching/http-request.ts";
import { createPublisherSource } from "../../src/rates/sources/fetching/publisher-source.ts";
import { publishers } from "../../src/rates/sources/publishers/catalogue.ts";
import type { Address, Publisher } from "../../src/rates/sources/publishers/publisher.ts";
import type { RateSource } from "../../src/rates/sources/source.ts";
import { eventually } from "./mails.ts";
import { startServer } from "./other-server.ts";
import type { TestService } from "./service.ts";

/** The publisher's behaviour for one request. */
export type Behaviour = (response: ServerResponse, headers: IncomingHttpHeaders) => void;

/** A real HTTP server on loopback that plays a publisher; a test can change its behaviour. */
export async function playPublisher(first: Behaviour) {
  let behaviour = first;
  const requests: IncomingHttpHeaders[] = [];
  const bodies: string[] = [];
  const { url, ...end } = await startServer(async (request, response) => {
    requests.push(request.headers);
    bodies.push(`${request.method} ${request.url} ${await text(request)}`);
    behaviour(response, request.headers);
  });
  return {
    ...end,
    address: `${url}/rates`,
    /** The headers of every request so far. */
    requests,
    /** The method, path and body of every request so far. */
    bodies,
    behave(next: Behaviour): void {
      behaviour = next;
    },
  };
}

/** Responds with a body. */
export const body =
  (content: string, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  (response) => {
    response.writeHead(200, headers).end(content);
  };

/** The ECB's daily layout with the rates of one day. */
export function ecbDay(day: string, figures: Readonly<Record<string, string>>): string {
  const cubes = Object.entries(figures).map(
    ([currency, rate]) => `<Cube currency='${currency}' rate='${rate}'/>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
  <gesmes:subject>Reference rates</gesmes:subject>
  <Cube><Cube time='${day}'>${cubes.join("")}</Cube></Cube>
</gesmes:Envelope>`;
}

export const USER_AGENT = "Kurs/test (self-hosted currency-rate service)";

/** A test that reached this timeout would take as long. */
export const LIMITS: PublicationLimits = {
  ...{ timeoutMs: 600_000, publicationMs: 600_000 },
  ...{ bodyBytesMax: 1024 * 1024, redirectsMax: 5 },
};

/** A publisher of the catalogue as it is, but for its addresses. */
export function publisherAt(key: string, addresses: readonly Address[]): Publisher {
  const publisher = publishers.find((known) => known.key === key);
  if (publisher === undefined) throw new Error(`no publisher ${key}`);
  return { ...publisher, addresses };
}

/** The source of a publisher of the catalogue at addresses of a test's own. */
export function sourceAt(
  key: string,
  addresses: readonly string[],
  clock: Clock,
  limits = LIMITS,
): RateSource {
  const settings = { userAgent: USER_AGENT, limits, clock };
  return createPublisherSource(publisherAt(key, addresses), settings);
}

type Figures = Readonly<Record<string, string>>;

/** A table in NBP's layout, each figure as the text that stands in the JSON. */
export function nbpTable(date: string, figures: Figures): string {
  const rates = Object.entries(figures).map(([code, mid]) => `{"code":"${code}","mid":${mid}}`);
  return `[{"table":"A","effectiveDate":"${date}","rates":[${rates.join(",")}]}]`;
}

/** CNB's daily layout, every figure for one unit. */
export function cnbDay(date: string, figures: Figures): string {
  const rates = Object.entries(figures).map(([code, rate]) => {
    return `{"validFor":"${date}","currencyCode":"${code}","amount":1,"rate":${rate}}`;
  });
  return `{"rates":[${rates.join(",")}]}`;
}

export const FETCHED = "a source was fetched";
export const FAILED = "a source failed: serving what is stored";

/** Waits until the service's log has a line about a source. @returns the line. */
export async function logged({ logLines }: TestService, msg: string, source: string) {
  return await eventually(`log line "${msg}" of ${source}`, () => {
    const lines = logLines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    return lines.find((line) => line.msg === msg && line.source === source);
  });
}
