/** How to see whether a command whose commit is in doubt has stored its change. */
export function wayToLook(args: readonly string[]): string {
  const command = args.join(" ");
  if (command.startsWith("keys create")) {
    return "if kurs keys list EMAIL shows it, revoke it (kurs keys revoke ID): its secret is lost";
  }
  const isRepeatable = /^(?:serve|migrate|store copy|rates (?:backfill|fetch|import))\b/.test(
    command,
  );
  return isRepeatable
    ? "run the command again, which then stores nothing twice"
    : "kurs audit --since 1h shows it, if it is";
}
