import type { ConsolePage } from "../../../src/platform/pages/paths.ts";
import { useDisclosure } from "../disclosure.ts";
import { page } from "../router.ts";
import { session } from "../session.ts";
import { Link } from "./link.tsx";

type Target = readonly [path: ConsolePage, name: string];

interface Group {
  readonly name: string;
  readonly targets: readonly Target[];
}

const reference: Target = ["/docs", "API reference"];

const guestsPages: readonly (Target | Group)[] = [["/coverage", "Publishers"], reference];

const ownersPages: readonly (Target | Group)[] = [
  ["/home", "Home"],
  ["/keys", "Keys"],
  ["/usage", "Usage"],
  {
    name: "Data",
    targets: [
      ["/rates", "Rates"],
      ["/sources", "Publishers"],
    ],
  },
  { name: "Develop", targets: [["/try", "Try it"], ["/agents", "Agents"], reference] },
  {
    name: "You",
    targets: [
      ["/account", "Account"],
      ["/activity", "Activity"],
    ],
  },
];

/** The links to pages, most of them in groups. */
export function Navigation() {
  const entries = session.value === undefined ? guestsPages : ownersPages;
  return (
    <nav class="nav" aria-label="Pages">
      {entries.map((entry) =>
        "targets" in entry ? (
          <NavigationGroup key={entry.name} {...entry} />
        ) : (
          <TargetLink key={entry[0]} target={entry} />
        ),
      )}
    </nav>
  );
}

function isCurrent([path]: Target): boolean {
  return page.value === path;
}

function TargetLink({ target }: { readonly target: Target }) {
  const [path, name] = target;
  return (
    <Link to={path} isCurrent={isCurrent(target)}>
      {name}
    </Link>
  );
}

/** In a wide window, links that a button shows; in a narrow one, links under a heading. */
function NavigationGroup({ name, targets }: Group) {
  const { isOpen, place, id, buttonProps } = useDisclosure();
  const look = targets.some(isCurrent) ? "nav-group nav-current" : "nav-group";
  return (
    <div class={isOpen ? `${look} nav-open` : look} ref={place}>
      <button {...buttonProps}>
        {name}
        <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
          <path d="m4 6 4 4 4-4-.9-.9L8 8.2 4.9 5.1z" />
        </svg>
      </button>
      <span class="nav-heading" aria-hidden="true">
        {name}
      </span>
      <ul id={id} aria-label={name}>
        {targets.map((target) => (
          <li key={target[0]}>
            <TargetLink target={target} />
          </li>
        ))}
      </ul>
    </div>
  );
}
