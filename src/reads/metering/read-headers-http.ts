import type { DocumentedHeader, DocumentedHeaders } from "../../platform/http/openapi/headers.ts";

// The headers of reads, for the OpenAPI document.

const always = (
  component: string,
  description: string,
  example: string | number,
  schema: object = { type: "string" },
): DocumentedHeader => ({ component, description, required: true, schema, example });

const sometimes = (
  description: string,
  example: string | number,
  schema: object = { type: "string" },
): DocumentedHeader => ({ description, required: false, schema, example });

const units = { type: "integer", enum: [0, 1] };

const charged: DocumentedHeaders = {
  "Units-Charged": always("UnitsCharged", "What the request cost", 1, units),
};

const chargedIfKnown: DocumentedHeaders = {
  "Units-Charged": sometimes(
    "What the request cost; missing where that is not known, or it was not valid HTTP",
    0,
    units,
  ),
};

const policy = [
  "The quota, q, and the seconds of its period, w; then those of a key's caps, if it has any",
  '"units";q=1000;w=2592000',
] as const;

const limit = [
  "The units that remain, r, and the seconds to the reset, t; those of a key's caps follow",
  '"units";r=999;t=846087',
] as const;

const quota: DocumentedHeaders = {
  "RateLimit-Policy": always("RateLimitPolicy", ...policy),
  RateLimit: always("RateLimit", ...limit),
};

const quotaIfKnown: DocumentedHeaders = {
  "RateLimit-Policy": sometimes(...policy),
  RateLimit: sometimes(...limit),
};

/** Those of a response with a rate. */
export const rateHeaders: DocumentedHeaders = {
  ...charged,
  ...quota,
  "Rate-Source": sometimes(
    "The source's key, and the name of its publisher (RFC 9651)",
    'ecb;name="European Central Bank"',
  ),
  Link: sometimes(
    "The publisher's terms, with rel license; if it has such a page",
    "<https://www.ecb.europa.eu/services/using-our-site/disclaimer/html/index.en.html>; " +
      'rel="license"',
  ),
  "Rate-Next": sometimes(
    "When the publisher's calendar expects the next rate; if it has one",
    "2026-03-16T15:05:00Z",
    { type: "string", format: "date-time" },
  ),
  "Rate-Missed": sometimes(
    "Publications missed by the publisher's calendar; missing at 0, 99: or more",
    1,
    { type: "integer", minimum: 1, maximum: 99 },
  ),
  "Rate-Document": sometimes(
    "SHA-256 of the publisher's document, or of the imported file (RFC 9530); if it is known",
    "sha-256=:D9gwxxxZIOr/C9lpGa6f55F52H/DQN/X20cpM9gLpcs=:",
  ),
  "Memento-Datetime": sometimes(
    "The rate's as_of, to the second (RFC 7089); of a read of a past time",
    "Tue, 14 Oct 2025 14:00:00 GMT",
  ),
  Vary: sometimes("Accept-Datetime; of a read of a past time", "Accept-Datetime"),
  "Content-Digest": sometimes(
    "SHA-256 of the body (RFC 9530); if rates are signed",
    "sha-256=:tRaNgfHMitKxueJ2wZ6C9gtM9ZRptweUbQb0jHqMSOI=:",
  ),
  "Signature-Input": sometimes(
    "What the signature covers (RFC 9421), of a read of a past time also its Accept-Datetime; if " +
      "rates are signed",
    'kurs=("content-digest" "rate-source");created=1795262400;' +
      'keyid="dMGhAho72VE7zs3On-OKNFVp3GXPgZABX1EjMU0EfZ8";alg="ed25519"',
  ),
  Signature: sometimes(
    "By a key in /.well-known/jwks.json; if rates are signed",
    "kurs=:nU6+fhnfryRVyyfFYXZp+XMgtUTIEpbO60PNZSd/" +
      "+uRojZBGhLeNq8Row5h3xaA5dzxU7OIdeFGN3fxaiBp2CQ==:",
  ),
};

/** Those of the failures, by status. */
export const failureHeadersByStatus: Readonly<Record<number, DocumentedHeaders>> = {
  400: { ...chargedIfKnown, ...quotaIfKnown },
  401: charged,
  404: {
    ...charged,
    ...quota,
    Link: always(
      "HelpLink",
      "The way out, with rel help: whether the other direction is stored, or the list",
      "<https://rates.example.org/coverage>; " +
        'rel="help"; title="The supported pairs are listed free of charge"',
    ),
  },
  413: chargedIfKnown,
  429: { ...charged, ...quota },
  500: { ...chargedIfKnown, ...quotaIfKnown },
  503: { ...chargedIfKnown, ...quotaIfKnown },
};
