const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";

/** The headers that clients, proxies, networks and tracers send with a read, by their kind. */
export const headersOf: Readonly<Record<string, readonly string[]>> = {
  programs: [
    ...["User-Agent: Go-http-client/1.1", "Accept: */*", "accept-encoding: gzip, deflate"],
    ...["connection: keep-alive", "accept-language: *", "sec-fetch-mode: cors"],
  ],
  "a page in Chrome": [
    ...["Connection: keep-alive", "Pragma: no-cache", "Cache-Control: no-cache"],
    'sec-ch-ua: "Chromium";v="142", "Google Chrome";v="142", "Not_A Brand";v="99"',
    ...["sec-ch-ua-mobile: ?0", 'sec-ch-ua-platform: "Linux"', "DNT: 1", "Accept: */*"],
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36",
    ...["Origin: https://page.example", "Referer: https://page.example/", "Sec-Fetch-Dest: empty"],
    ...["Sec-Fetch-Site: cross-site", "Sec-GPC: 1", "Priority: u=1, i"],
    ...["Accept-Encoding: gzip, deflate, br, zstd", "Accept-Language: de-DE,de;q=0.9,en;q=0.8"],
  ],
  "Firefox over a proxy of HTTP/2": ["origin: https://page.example", "te: trailers"],
  "a page with many cookies": [`Cookie: ${"session=0123456789abcdef; ".repeat(150)}last=1`],
  "nginx, Varnish and HAProxy": [
    ...["X-Forwarded-For: 192.0.2.7", "X-Forwarded-Proto: https", "X-Real-IP: 192.0.2.7"],
    ...["X-Forwarded-Host: rates.example.org", "Via: 1.1 varnish (Varnish/7.6)", "Age: 0"],
    "X-Unique-ID: C0000207:D431_7F000001:1F90_6921E3A2_0001:0A2B",
    'Forwarded: for="[2001:db8::7]:4711";proto=https;by=203.0.113.43',
  ],
  "a proxy without keep-alive": ["X-Forwarded-For: 192.0.2.7", "Connection: close"],
  Apache: ["X-Forwarded-Server: proxy.example.org", "Connection: Keep-Alive"],
  Envoy: [
    ...["x-request-id: 7f3c8a52-31c4-4f3e-9d53-0f5a2b1c6d7e", "x-envoy-attempt-count: 1"],
    ...["x-envoy-expected-rq-timeout-ms: 15000", `x-b3-traceid: ${TRACE}`, "x-b3-sampled: 1"],
  ],
  Cloudflare: [
    ...["CF-Connecting-IP: 192.0.2.7", "CF-RAY: 9a1b2c3d4e5f6789-BER", "CF-IPCountry: DE"],
    ...['CF-Visitor: {"scheme":"https"}', "CDN-Loop: cloudflare; loops=1"],
    ...["CF-IPCity: K\u00c3\u00b6ln", "True-Client-IP: 192.0.2.7", "CF-Worker: example.org"],
  ],
  "Amazon, Google and Azure": [
    "X-Amzn-Trace-Id: Root=1-67891233-abcdef012345678912345678",
    ...["X-Amz-Cf-Id: 3m_rjMlLYlVbmZ5nqCPNUlfG0K9", "CloudFront-Is-Desktop-Viewer: true"],
    `X-Cloud-Trace-Context: ${TRACE}/67667974448284343;o=1`,
    ...["X-Azure-Ref: 20261122T120000Z-abc", "Fastly-Client-IP: 192.0.2.7", "Fastly-SSL: 1"],
  ],
  tracers: [
    ...[`traceparent: 00-${TRACE}-${SPAN}-01`, "tracestate: vendor=a,other=b"],
    ...["baggage: user=a%20b,tenant=1", `sentry-trace: ${TRACE}-${SPAN}-1`],
    ...["x-datadog-trace-id: 5208512171318403364", "x-datadog-tags: _dd.p.tid=640cfd8d00000000"],
    ...[`b3: ${TRACE}-${SPAN}-1`, `uber-trace-id: ${TRACE}:${SPAN}:0:1`],
    ...["newrelic: eyJ2IjpbMCwxXX0=", "X-NewRelic-ID: VQQUUFNS"],
  ],
};
