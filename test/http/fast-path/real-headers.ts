// The headers that proxies, networks, tracers and clients really send with a read.

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";

const clients = {
  curl: ["User-Agent: curl/8.14.1", "Accept: */*"],
  "fetch of Node.js": [
    ...["connection: keep-alive", "accept: */*", "accept-language: *", "sec-fetch-mode: cors"],
    ...["user-agent: node", "accept-encoding: gzip, deflate"],
  ],
  "Python requests": [
    ...["User-Agent: python-requests/2.32.3", "Accept-Encoding: gzip, deflate"],
    ...["Accept: */*", "Connection: keep-alive"],
  ],
  "Go's net/http": ["User-Agent: Go-http-client/1.1", "Accept-Encoding: gzip"],
  "a page in Chrome": [
    ...["Connection: keep-alive", "Pragma: no-cache", "Cache-Control: no-cache"],
    'sec-ch-ua: "Chromium";v="142", "Google Chrome";v="142", "Not_A Brand";v="99"',
    ...["sec-ch-ua-mobile: ?0", 'sec-ch-ua-platform: "Linux"', "DNT: 1", "Accept: */*"],
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36",
    ...["Origin: https://page.example", "Referer: https://page.example/", "Sec-Fetch-Dest: empty"],
    ...["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: cors", "Sec-GPC: 1", "Priority: u=1, i"],
    ...["Accept-Encoding: gzip, deflate, br, zstd", "Accept-Language: de-DE,de;q=0.9,en;q=0.8"],
  ],
  "Firefox over a proxy of HTTP/2": [
    "user-agent: Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
    ...["accept: */*", "accept-language: en-US,en;q=0.5", "accept-encoding: gzip, deflate, br"],
    ...["origin: https://page.example", "sec-fetch-dest: empty", "te: trailers"],
  ],
  "a page with many cookies": [`Cookie: ${"session=0123456789abcdef; ".repeat(150)}last=1`],
};

const forwarded = ["X-Forwarded-For: 192.0.2.7", "X-Forwarded-Proto: https"];

const proxies: Readonly<Record<string, readonly string[]>> = {
  nginx: [...forwarded, "X-Real-IP: 192.0.2.7", "X-Forwarded-Host: rates.example.org"],
  "nginx without keep-alive": [...forwarded, "Connection: close"],
  Apache: [
    ...[...forwarded, "X-Forwarded-Host: rates.example.org"],
    ...["X-Forwarded-Server: proxy.example.org", "Connection: Keep-Alive"],
  ],
  Varnish: [...forwarded, "Via: 1.1 varnish (Varnish/7.6)", "X-Varnish: 32770"],
  Envoy: [
    ...["x-forwarded-proto: https", "x-request-id: 7f3c8a52-31c4-4f3e-9d53-0f5a2b1c6d7e"],
    ...["x-envoy-expected-rq-timeout-ms: 15000", "x-envoy-external-address: 192.0.2.7"],
    ...["x-envoy-attempt-count: 1", "x-envoy-internal: true", "x-envoy-decorator-operation: kurs"],
    `x-b3-traceid: ${TRACE}`,
    ...[`x-b3-spanid: ${SPAN}`, "x-b3-sampled: 1"],
  ],
  HAProxy: [...forwarded, "X-Unique-ID: C0000207:D431_7F000001:1F90_6921E3A2_0001:0A2B"],
  Caddy: [...forwarded, "X-Forwarded-Host: rates.example.org", "Via: 2.0 Caddy"],
  Traefik: [...forwarded, "X-Forwarded-Port: 443", "X-Forwarded-Server: edge", "X-Real-Ip: ::1"],
  Cloudflare: [
    ...forwarded,
    ...["CF-Connecting-IP: 192.0.2.7", "CF-RAY: 9a1b2c3d4e5f6789-BER", "CF-IPCountry: DE"],
    ...[
      'CF-Visitor: {"scheme":"https"}',
      "CDN-Loop: cloudflare; loops=1",
      "CF-IPCity: K\u00c3\u00b6ln",
    ],
    ...["True-Client-IP: 192.0.2.7", "CF-EW-Via: 15", "CF-Worker: example.org"],
  ],
  "an AWS load balancer": [
    ...[...forwarded, "X-Forwarded-Port: 443"],
    "X-Amzn-Trace-Id: Root=1-67891233-abcdef012345678912345678",
  ],
  "AWS's API Gateway and CloudFront": [
    ...[...forwarded, "X-Amzn-Apigateway-Api-Id: a1b2c3d4e5", "Via: 2.0 cloudfront.example"],
    ...["X-Amz-Cf-Id: 3m_rjMlLYlVbmZ5nqCPNUlfG0K9", "CloudFront-Viewer-Country: DE"],
    ...["CloudFront-Forwarded-Proto: https", "CloudFront-Is-Desktop-Viewer: true"],
  ],
  "a Google load balancer": [
    ...["X-Forwarded-For: 192.0.2.7,198.51.100.1", "X-Forwarded-Proto: https", "Via: 1.1 google"],
    `X-Cloud-Trace-Context: ${TRACE}/67667974448284343;o=1`,
  ],
  Fastly: [...forwarded, "Fastly-Client-IP: 192.0.2.7", "Fastly-SSL: 1", "CDN-Loop: Fastly"],
  Azure: [...forwarded, "X-Azure-Ref: 20261122T120000Z-abc", "X-Azure-FDID: 7f3c8a52"],
  "a proxy with Forwarded": ['Forwarded: for="[2001:db8::7]:4711";proto=https;by=203.0.113.43'],
};

const tracers: Readonly<Record<string, readonly string[]>> = {
  OpenTelemetry: [
    ...[`traceparent: 00-${TRACE}-${SPAN}-01`, "tracestate: vendor=a,other=b"],
    "baggage: user=a%20b,tenant=1",
  ],
  Sentry: [
    `sentry-trace: ${TRACE}-${SPAN}-1`,
    `baggage: sentry-trace_id=${TRACE},sentry-environment=production`,
  ],
  Datadog: [
    ...["x-datadog-trace-id: 5208512171318403364", "x-datadog-parent-id: 2459265632940941112"],
    ...["x-datadog-sampling-priority: 1", "x-datadog-tags: _dd.p.tid=640cfd8d00000000"],
    "x-datadog-origin: rum",
  ],
  "B3 and Jaeger": [`b3: ${TRACE}-${SPAN}-1`, `uber-trace-id: ${TRACE}:${SPAN}:0:1`],
  "New Relic": ["newrelic: eyJ2IjpbMCwxXX0=", "X-NewRelic-ID: VQQUUFNS"],
};

const each: Readonly<Record<string, readonly string[]>> = { ...clients, ...proxies, ...tracers };
const together = [
  ...["a page in Chrome", "Cloudflare", "Envoy", "Varnish", "OpenTelemetry", "Sentry", "Datadog"],
  "a page with many cookies",
];

/** By who sends them; and those of a browser, a network, proxies and tracers at once. */
export const headersOfClients = { each, all: together.flatMap((who) => each[who] ?? []) };
