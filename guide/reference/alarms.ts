import { parse } from "yaml";
import { readDocument } from "../pages/index-of-documents.ts";

interface Alarm {
  readonly alert: string;
  readonly expr: string;
  /** How long the rule must hold; without it the alarm is raised at once. */
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

interface Rules {
  readonly groups: readonly { readonly rules: readonly Alarm[] }[];
}

/** Every alarm of deploy/alarms.yml, with its page. */
export function alarmsPage(): string {
  const { groups } = parse(readDocument("deploy/alarms.yml")) as Rules;
  const sections = groups
    .flatMap(({ rules }) => rules)
    .map((alarm) => {
      const page = alarm.annotations.runbook.replace(/^kurs docs /, "../");
      return [
        `## ${alarm.alert}`,
        `${withoutTemplates(alarm.annotations.summary)}. Severity \`${alarm.labels.severity}\`, ` +
          `${alarm.for === undefined ? "at once" : `after ${alarm.for}`}. [What to do](${page}.md).`,
        `\`\`\`text\n${alarm.expr.trim()}\n\`\`\``,
      ].join("\n\n");
    });
  return [
    "# Alarms",
    "The rules of `deploy/alarms.yml`, which `kurs docs deploy/alarms.yml` prints.",
    ...sections,
    "",
  ].join("\n\n");
}

/** `{{ $labels.source }}` is the name of a label. */
function withoutTemplates(summary: string): string {
  return summary.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, "*$1*").replaceAll(/\{\{.*?\}\}/g, "…");
}
