import type { ConsolePage } from "../../../src/pages/paths.ts";
import { logOut } from "../api/access.ts";
import { useAction } from "../loading.ts";
import { isOpen } from "../registration.ts";
import { go, isReference, page, root } from "../router.ts";
import { endSession, session } from "../session.ts";
import { Button } from "./button.tsx";
import { Link } from "./link.tsx";
import { Menu } from "./menu.tsx";
import { ThemeSwitch } from "./theme-switch.tsx";

const ownersPages = [
  ["/rates", "Rates"],
  ["/keys", "Keys"],
  ["/usage", "Usage"],
  ["/activity", "Activity"],
  ["/sources", "Sources"],
  ["/try", "Try it"],
  ["/agents", "Agents"],
  ["/account", "Account"],
] as const;

const guestsPages = [["/coverage", "Publishers"]] as const;

/** The bar on top of every page. */
export function Bar() {
  const owner = session.value;
  return (
    <header class={`bar ${owner === undefined ? "signed-out" : "signed-in"}`}>
      <div class="bar-inside">
        <Link class="brand" to="/">
          <img src={`${root}favicon.svg`} width="26" height="26" alt="" />
          Kurs
        </Link>
        <Menu>
          <nav class="nav" aria-label="Pages">
            {owner === undefined ? guestsPages.map(toLink) : ownersPages.map(toLink)}
            <a href={`${root}docs`} aria-current={isReference ? "page" : undefined}>
              API reference
            </a>
          </nav>
          <div class="tools">
            <ThemeSwitch />
            {owner === undefined ? null : <LogOut />}
          </div>
        </Menu>
        <div class="owner">{owner === undefined ? <Guest /> : <Owner email={owner.email} />}</div>
      </div>
    </header>
  );
}

function toLink([path, name]: readonly [path: ConsolePage, name: string]) {
  return (
    <Link key={path} to={path} isCurrent={!isReference && page.value === path}>
      {name}
    </Link>
  );
}

function Guest() {
  return (
    <>
      <Link class="button button-quiet button-small" to="/login">
        Log in
      </Link>
      {isOpen ? (
        <Link class="button button-small" to="/signup">
          Sign up
        </Link>
      ) : null}
    </>
  );
}

function Owner({ email }: { readonly email: string }) {
  return (
    <span class="owner-email" title={email}>
      {email}
    </span>
  );
}

function LogOut() {
  const { isBusy, run } = useAction(async () => {
    try {
      await logOut();
    } finally {
      // Every tab deletes the session even when the service cannot be reached.
      endSession("logged out");
      // The API reference is for everyone: it stays open.
      if (!isReference) go("/login");
    }
  });
  return (
    <Button look="plain" isSmall isBusy={isBusy} onClick={run}>
      Log out
    </Button>
  );
}
