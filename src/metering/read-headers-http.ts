import type { DocumentedHeader, DocumentedHeaders } from "../http/openapi/headers.ts";

// The headers of reads, for the OpenAPI document.

/** A header that some responses lack: a response without it is no less complete. */
const sometimes = (component: string, header: DocumentedHeader): DocumentedHeader => ({
  ...header,
  component,
  required: false,
});

const text = (component: string, description: string, example: string): DocumentedHeader => ({
  component,
  description,
  required: true,
  schema: { type: "string" },
  example,
});

const rateText = (component: string, description: string, example: string): DocumentedHeader =>
  sometimes(component, text(component, description, example));

const unitsCharged: DocumentedHeader = {
  component: "UnitsCharged",
  description: "What the request cost",
  required: true,
  schema: { type: "integer", enum: [0, 1] },
  example: 1,
};

const charged: DocumentedHeaders = { "Units-Charged": unitsCharged };

const chargedIfKnown: DocumentedHeaders = {
  "Units-Charged": {
    ...sometimes("UnitsChargedIfKnown", unitsCharged),
    description: "What the request cost; missing where that is not known, or it was not valid HTTP",
    example: 0,
  },
};

const policy = text(
  "RateLimitPolicy",
  "The quota, q, and the seconds of its billing period, w",
  '"units";q=1000;w=2592000',
);

const limit = text(
  "RateLimit",
  "The units that remain, r, and the seconds to the reset, t",
  '"units";r=999;t=846087',
);

const quota: DocumentedHeaders = { "RateLimit-Policy": policy, RateLimit: limit };

const quotaIfKnown: DocumentedHeaders = {
  "RateLimit-Policy": sometimes("RateLimitPolicyIfKnown", policy),
  RateLimit: sometimes("RateLimitIfKnown", limit),
};

/** Those of a response with a rate. */
export const rateHeaders: DocumentedHeaders = {
  ...charged,
  ...quota,
  "Rate-Source": rateText(
    "RateSource",
    "The source's key, and the name of its publisher (RFC 9651); missing on the rate of an older " +
      "version until the next start",
    'ecb;name="European Central Bank"',
  ),
  Link: rateText(
    "LicenseLink",
    "The publisher's terms, with rel license; if it has such a page",
    "<https://www.ecb.europa.eu/services/using-our-site/disclaimer/html/index.en.html>; " +
      'rel="license"',
  ),
  "Rate-Next": {
    ...rateText(
      "RateNext",
      "When the publisher's calendar expects the next rate; if it has one",
      "2026-03-16T15:05:00Z",
    ),
    schema: { type: "string", format: "date-time" },
  },
  "Rate-Missed": {
    component: "RateMissed",
    description: "Publications missed by the publisher's calendar; missing at 0, 99: or more",
    required: false,
    schema: { type: "integer", minimum: 1, maximum: 99 },
    example: 1,
  },
  "Content-Digest": rateText(
    "ContentDigest",
    "SHA-256 of the body (RFC 9530); if rates are signed",
    "sha-256=:tRaNgfHMitKxueJ2wZ6C9gtM9ZRptweUbQb0jHqMSOI=:",
  ),
  "Signature-Input": rateText(
    "SignatureInput",
    "What the signature covers (RFC 9421); if rates are signed",
    'kurs=("content-digest" "rate-source");created=1795262400;' +
      'keyid="dMGhAho72VE7zs3On-OKNFVp3GXPgZABX1EjMU0EfZ8";alg="ed25519"',
  ),
  Signature: rateText(
    "Signature",
    "By a key in /.well-known/jwks.json; if rates are signed",
    "kurs=:nU6+fhnfryRVyyfFYXZp+XMgtUTIEpbO60PNZSd/" +
      "+uRojZBGhLeNq8Row5h3xaA5dzxU7OIdeFGN3fxaiBp2CQ==:",
  ),
};

/** Those of the failures, by status. */
export const failureHeadersByStatus: Readonly<Record<number, DocumentedHeaders>> = {
  400: { ...chargedIfKnown, ...quotaIfKnown },
  401: charged,
  404: { ...charged, ...quota },
  413: chargedIfKnown,
  429: { ...charged, ...quota },
  500: chargedIfKnown,
  503: { ...chargedIfKnown, ...quotaIfKnown },
};
