export { type AuditCommandDeps, auditCommands } from "./audit/cli.ts";
export { docsCommand } from "./cli/docs-command.ts";
export { type StoreCommandDeps, storeCommands } from "./storage/cli.ts";
