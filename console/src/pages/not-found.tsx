import { Link } from "../components/link.tsx";
import { PageHead } from "../components/page-head.tsx";

/** What the server sends for a path that it does not know, with status 404. */
export function NotFoundPage() {
  return (
    <div class="narrow">
      <PageHead title="Page not found">There is nothing at this address.</PageHead>
      <Link class="button" to="/">
        Go to the start page
      </Link>
    </div>
  );
}
