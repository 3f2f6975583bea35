import { render } from "preact";
import { Frame } from "./components/frame.tsx";
import { Link } from "./components/link.tsx";
import { PageHead } from "./components/page-head.tsx";
import { askOtherTabs } from "./session.ts";

/** The page at an unknown path, with the navigation of the others. */
function NotFoundPage() {
  return (
    <Frame>
      <div class="narrow">
        <PageHead title="Page not found">There is nothing at this address.</PageHead>
        <Link class="button" to="/">
          To the start page
        </Link>
      </div>
    </Frame>
  );
}

const place = document.getElementById("not-found");
if (place === null) throw new Error("The page has no element with the id not-found.");
void askOtherTabs().then(() => {
  place.replaceChildren();
  render(<NotFoundPage />, place);
});
