import type { ComponentType } from "preact";
import { useLayoutEffect } from "preact/hooks";
import type { ConsolePage } from "../../src/platform/pages/paths.ts";
import { Frame } from "./components/frame.tsx";
import { findHome } from "./home.ts";
import { AccountPage } from "./pages/account.tsx";
import { ActivityPage } from "./pages/activity.tsx";
import { AgentsPage } from "./pages/agents.tsx";
import { CoveragePage } from "./pages/coverage.tsx";
import { ForgotPage } from "./pages/forgot.tsx";
import { HomePage } from "./pages/home.tsx";
import { KeysPage } from "./pages/keys.tsx";
import { LogInPage } from "./pages/log-in.tsx";
import { NotFoundPage } from "./pages/not-found.tsx";
import { RatesPage } from "./pages/rates.tsx";
import { ReferencePage } from "./pages/reference.tsx";
import { ResetPage } from "./pages/reset.tsx";
import { SignUpPage } from "./pages/sign-up.tsx";
import { SourcePage } from "./pages/source.tsx";
import { SourcesPage } from "./pages/sources.tsx";
import { TryPage } from "./pages/try.tsx";
import { UsagePage } from "./pages/usage.tsx";
import { VerifyPage } from "./pages/verify.tsx";
import { WelcomePage } from "./pages/welcome.tsx";
import { go, page, readWayBack, wayBack } from "./router.ts";
import { session, sessionEnd } from "./session.ts";

interface Page {
  readonly title: string;
  readonly content: ComponentType;
  /** `owner`: only with a session; `guest`: only without one. */
  readonly readers: "owner" | "guest" | "everyone";
  /** What gets the focus, as a selector; otherwise the heading, where a screen reader continues. */
  readonly start?: string;
}

const pages: Record<ConsolePage, Page> = {
  "/": { title: "Exact rates, exactly metered", content: WelcomePage, readers: "guest" },
  "/signup": { title: "Create an account", content: SignUpPage, readers: "guest" },
  "/login": { title: "Log in", content: LogInPage, readers: "guest", start: "main input" },
  "/verify": { title: "Confirm your email", content: VerifyPage, readers: "everyone" },
  "/forgot": { title: "Reset your password", content: ForgotPage, readers: "everyone" },
  "/reset": { title: "Set a new password", content: ResetPage, readers: "everyone" },
  "/coverage": { title: "Publishers and pairs", content: CoveragePage, readers: "everyone" },
  "/docs": { title: "API reference", content: ReferencePage, readers: "everyone" },
  "/home": { title: "Home", content: HomePage, readers: "owner" },
  "/rates": { title: "Rates", content: RatesPage, readers: "owner" },
  "/source": { title: "Publisher", content: SourcePage, readers: "owner" },
  "/keys": { title: "API keys", content: KeysPage, readers: "owner" },
  "/usage": { title: "Usage", content: UsagePage, readers: "owner" },
  "/activity": { title: "Activity", content: ActivityPage, readers: "owner" },
  "/sources": { title: "Publishers", content: SourcesPage, readers: "owner" },
  "/try": { title: "Try it", content: TryPage, readers: "owner" },
  "/account": { title: "Account", content: AccountPage, readers: "owner" },
  "/agents": { title: "Agents", content: AgentsPage, readers: "owner" },
};

const notFound: Page = { title: "Page not found", content: NotFoundPage, readers: "everyone" };

/** The page of the URL, or the page that the visitor needs first. */
export function App() {
  const address = page.value;
  const shown = address === undefined ? notFound : pages[address];
  const { title, content: Content, readers, start } = shown;
  const isOwner = session.value !== undefined;
  const needsLogIn = readers === "owner" && !isOwner;
  const isPast = readers === "guest" && isOwner;

  useLayoutEffect(() => {
    // After an expired session, but not after a log-out, the log-in leads back to this page.
    if (needsLogIn) {
      const search = sessionEnd.peek() === "logged out" ? "" : wayBack();
      go("/login", { search, replace: true });
    }
    if (!isPast) return undefined;
    const next = readWayBack();
    if (next !== undefined) {
      go(next.target, { search: next.search, replace: true });
      return undefined;
    }
    let isCurrent = true;
    void findHome().then((home) => {
      if (isCurrent) go(home, { replace: true });
    });
    return () => {
      isCurrent = false;
    };
  }, [needsLogIn, isPast, address]);

  // A layout effect, so that a key press right after it belongs to the new page.
  useLayoutEffect(() => {
    document.title = `${title} · Kurs`;
    const isPlaced = start !== undefined || hasShownPage;
    if (isPlaced) document.querySelector<HTMLElement>(start ?? "h1")?.focus();
    hasShownPage = true;
  }, [title]);

  return <Frame>{needsLogIn || isPast ? null : <Content />}</Frame>;
}

/** Whether a page was shown before: on the first one, the browser sets the focus. */
let hasShownPage = false;
