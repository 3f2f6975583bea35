import type { MailSettings } from "../../customers/settings.ts";
import { type Finding, findingsOf } from "../../platform/shared/finding.ts";
import { isLoopback } from "../../platform/shared/loopback.ts";

/** The settings that are checked against each other. Each of them is valid by itself. */
export interface CheckedSettings extends MailSettings {
  readonly host: string;
  readonly publicUrl: string | undefined;
  readonly trustedProxies: readonly string[];
}

/** Finds settings that are valid by themselves but do not fit each other. */
export function checkSettings(settings: CheckedSettings): Finding[] {
  const { ok, warning } = findingsOf("settings");
  const found: Finding[] = [];
  const { host, publicUrl, smtpUrl, trustedProxies } = settings;
  const listensOnLoopback = isLoopback(host);
  const isOverTls = publicUrl?.startsWith("https:") ?? false;
  const isPublic = publicUrl !== undefined && !isLoopback(URL.parse(publicUrl)?.hostname ?? "");
  if (isOverTls && trustedProxies.length === 0) {
    found.push(
      warning(
        "PUBLIC_URL is https, which implies a proxy, but TRUST_PROXY is not set: the auth " +
          "limiter counts all clients as one. Set TRUST_PROXY to the proxy's address.",
      ),
    );
  }
  if (!listensOnLoopback && !isOverTls) {
    found.push(
      warning(
        `HOST ${host} is reachable from other machines, and PUBLIC_URL is not https: passwords ` +
          "and keys cross the network unencrypted. Add a proxy with TLS and set PUBLIC_URL.",
      ),
    );
  }
  if (isPublic && !isOverTls && listensOnLoopback) {
    found.push(
      warning(
        "PUBLIC_URL is http: passwords and keys cross the network unencrypted. Set up TLS in the " +
          "proxy, and set PUBLIC_URL to its https address.",
      ),
    );
  }
  if (smtpUrl !== undefined && !isPublic) {
    found.push(
      warning(
        "SMTP_URL is set, but PUBLIC_URL is unset or a local address: links in mails do not " +
          "work. Set PUBLIC_URL to the address that clients use.",
      ),
    );
  }
  if (smtpUrl !== undefined && /@(localhost|\[?127\.|\[IPv6:)/.test(settings.mailFrom.address)) {
    found.push(warning("Mails come from a local address: set MAIL_FROM to one of your domain."));
  }
  return found.length > 0 ? found : [ok("the configuration is valid")];
}
