import { logOut } from "../api/access.ts";
import { guides } from "../guides.ts";
import { useAction } from "../loading.ts";
import { isOpen } from "../registration.ts";
import { page, root } from "../router.ts";
import { endSession, session } from "../session.ts";
import { Button } from "./button.tsx";
import { Link } from "./link.tsx";
import { Menu } from "./menu.tsx";
import { Navigation } from "./navigation.tsx";
import { ThemeSwitch } from "./theme-switch.tsx";

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
          <Navigation />
          <div class="tools">
            <GuideLink />
            <ThemeSwitch />
            {owner === undefined ? null : <LogOut />}
          </div>
        </Menu>
        <div class="owner">{owner === undefined ? <Guest /> : <Owner email={owner.email} />}</div>
      </div>
    </header>
  );
}

/** Leads to what the documentation site says on the page that is shown. */
function GuideLink() {
  const guide = page.value === undefined ? "" : guides[page.value];
  return (
    <a class="guide" href={`${root}guide/${guide}`}>
      Guide
    </a>
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
    }
  });
  return (
    <Button look="plain" isSmall isBusy={isBusy} onClick={run}>
      Log out
    </Button>
  );
}
