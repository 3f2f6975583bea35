import type { ConsolePage } from "../../src/platform/pages/paths.ts";

/** What the documentation site says on each page's subject: a path in it. */
export const guides: Readonly<Record<ConsolePage, string>> = {
  "/": "",
  "/signup": "overview#the-first-rate",
  "/login": "api#sessions",
  "/verify": "api#mails-and-their-tokens",
  "/forgot": "api#mails-and-their-tokens",
  "/reset": "api#mails-and-their-tokens",
  "/coverage": "sources",
  "/docs": "api",
  "/home": "concepts",
  "/rates": "concepts#direct-rate",
  "/source": "sources",
  "/keys": "api#keys",
  "/usage": "api#watching-the-quota",
  "/activity": "api#events",
  "/sources": "sources",
  "/try": "api#one-read-step-by-step",
  "/agents": "mcp",
  "/account": "api#the-account",
};
