import type { About } from "../api/rates.ts";
import { countUnits, formatUnits } from "../format.ts";
import { noteOn } from "../service-note.ts";
import { Link } from "./link.tsx";

/** What a service has and costs, for a visitor without an account. */
export function ServiceFigures({ about }: { readonly about: About | undefined }) {
  const { publishers = 0, publishers_up_to_date: upToDate = 0 } = about ?? {};
  // Before the first fetch nothing is late: the sentence below says what these rates are.
  const isLate = about !== undefined && about.last_success_at !== null && upToDate < publishers;
  return (
    <section class="card figures" aria-label="This service">
      <dl>
        <Figure name="pairs to read" value={about && formatUnits(about.pairs)} />
        <Figure
          name={publishers === 1 ? "publisher" : "publishers"}
          value={about && formatUnits(publishers)}
        />
        <Figure
          name="of them up to date"
          value={about && formatUnits(upToDate)}
          look={isLate ? "figure-late" : ""}
        />
        <Figure name="per read" value={countUnits(1)} />
      </dl>
      <p class="aside figures-note">{about === undefined ? "" : noteOn(about)}</p>
      <p>
        <Link to="/coverage">See the publishers and their pairs</Link>
      </p>
    </section>
  );
}

interface FigureProps {
  readonly name: string;
  /** Undefined while it loads. */
  readonly value: string | undefined;
  readonly look?: string;
}

function Figure({ name, value = "…", look = "" }: FigureProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class={`figure ${look}`}>{value}</dd>
    </div>
  );
}
