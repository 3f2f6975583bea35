import { CHARGED_TOOLS } from "./tools.ts";

/**
 * What every agent reads before its first call. It pays for each word, so this says only what no
 * schema can: how to quote a rate, and what to do about a failure.
 */
export const instructions = `\
Direct currency rates, digit by digit as their publishers wrote them.

Quote a rate with all its digits, its as_of and its source. Rates and amounts are decimal strings: \
keep them as text, calculate with convert_currency, and say so if you round. The source is \
kurs/rate-source in the result's _meta; kurs/rate-missed there counts the publications since: call \
the rate old. kurs/rate-next is when the next one is due. Where you cannot see _meta, the free \
resource kurs://pairs/EUR has the source, next_publication and missed_publication of the pairs of \
one base.

For a historical rate, and only then, pass a date (2025-10-14). Name the date in the result's \
second text: it may be earlier. kurs/rate-missed then counts publications missing in between: say \
so.

${CHARGED_TOOLS.join(" and ")} cost one unit of a monthly quota each. get_usage and the resources \
are free.

A failure is JSON with a code:
- unsupported_pair (404): charged. Do not retry. EUR/USD does not give USD/EUR: neither invert nor \
cross rates unless the user asks, and then say that you did. kurs://pairs lists the pairs.
- quota_exceeded (429): not charged. The quota, or this key's limit, is used up until reset_at: \
tell the user; call no earlier.
- temporarily_unavailable (503): retry once, later. kurs/units-charged says if it cost a unit.
- invalid_asset_symbol, invalid_request: not charged. Correct the arguments.
- HTTP 401: the API key is missing, wrong, revoked or expired. Ask the user to correct the header \
Authorization: ApiKey svc_live_… in the client's settings. There is no OAuth log-in.`;
