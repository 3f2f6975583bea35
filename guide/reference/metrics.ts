import type { Description } from "./running-server.ts";

/** Every metric with its type and help, as a server exposes them. */
export function metricsPage({ metrics }: Description): string {
  const helps = metrics.matchAll(/^# HELP (\S+) (.+)\n# TYPE \S+ (\w+)$/gm);
  const rows = [...helps].map(([, name, help, type]) => `| \`${name}\` | ${type} | ${help} |`);
  return [
    "# Metrics",
    "What `METRICS_PORT` exposes. [Their labels and meaning](../operating/monitoring.md#metrics).",
    `| metric | type | help |\n|---|---|---|\n${rows.join("\n")}`,
    "",
  ].join("\n\n");
}
