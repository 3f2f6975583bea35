import { type Finding, findingsOf } from "./finding.ts";

/** What is judged of the configuration besides that each value fits. */
export interface CheckedSettings {
  readonly host: string;
  readonly listensOnLoopback: boolean;
  readonly publicUrl: string | undefined;
  readonly publicUrlIsLoopback: boolean;
  readonly trustedProxies: readonly string[];
  readonly smtpUrl: string | undefined;
  readonly mailFrom: { readonly address: string };
}

/** Settings that fit, each by itself, but not each other. */
export function checkSettings(settings: CheckedSettings): Finding[] {
  const { ok, warning } = findingsOf("settings");
  const found: Finding[] = [];
  const { host, publicUrl, smtpUrl, trustedProxies } = settings;
  const isOverTls = publicUrl?.startsWith("https:") ?? false;
  const isPublic = publicUrl !== undefined && !settings.publicUrlIsLoopback;
  if (isOverTls && trustedProxies.length === 0) {
    found.push(
      warning(
        "PUBLIC_URL is https, so a proxy stands in front, but TRUST_PROXY is not set: the abuse " +
          "limiter takes all clients for one. Set TRUST_PROXY to the proxy's address.",
      ),
    );
  }
  if (!settings.listensOnLoopback && !isOverTls) {
    found.push(
      warning(
        `HOST ${host} is reached from elsewhere, and PUBLIC_URL is not https: passwords and keys ` +
          "go over the network in the clear. Put a proxy with TLS in front and set PUBLIC_URL.",
      ),
    );
  }
  if (isPublic && !isOverTls && settings.listensOnLoopback) {
    found.push(
      warning(
        "PUBLIC_URL is http: passwords and keys go over the network in the clear. Let the proxy " +
          "speak TLS, and set PUBLIC_URL to its https address.",
      ),
    );
  }
  if (smtpUrl !== undefined && !isPublic) {
    found.push(
      warning(
        "SMTP_URL is set and PUBLIC_URL is not an address that others reach: links in mails lead " +
          "nowhere. Set PUBLIC_URL to the address that clients use.",
      ),
    );
  }
  if (smtpUrl !== undefined && /@(localhost|\[?127\.|\[IPv6:)/.test(settings.mailFrom.address)) {
    found.push(warning("Mails come from a local address: set MAIL_FROM to one of your domain."));
  }
  return found.length > 0 ? found : [ok("the configuration fits")];
}
