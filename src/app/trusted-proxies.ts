import { BlockList, isIP } from "node:net";
import type { readersOf } from "./environment.ts";

/** @returns the entries of TRUST_PROXY. */
export function trustedProxiesOf(
  { listOf }: ReturnType<typeof readersOf>,
  problems: string[],
): readonly string[] {
  const entries = listOf("TRUST_PROXY", isProxy, "addresses or networks such as 10.0.0.0/8");
  for (const entry of entries.filter((one) => isProxy(one) && hasAllAddresses(one))) {
    const why = "a network of all addresses trusts every client";
    problems.push(`TRUST_PROXY: must be your proxies alone, not "${entry}": ${why}`);
  }
  return entries;
}

function isProxy(text: string): boolean {
  if (["loopback", "linklocal", "uniquelocal"].includes(text)) return true;
  const [address = "", bits, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  const bitsMax = family === 4 ? 32 : 128;
  return bits === undefined || (/^[0-9]{1,3}$/.test(bits) && +bits <= bitsMax);
}

/** Whether an entry has all of IPv4, which in IPv6 is `::ffff:0:0/96`: it has both ends of it. */
function hasAllAddresses(entry: string): boolean {
  const [address = "", bits] = entry.replace(/%[^/]*/, "").split("/");
  if (bits === undefined) return false;
  const network = new BlockList();
  network.addSubnet(address, Number(bits), isIP(address) === 4 ? "ipv4" : "ipv6");
  return network.check("0.0.0.0") && network.check("255.255.255.255");
}
