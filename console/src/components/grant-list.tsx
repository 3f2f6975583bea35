import type { Grant, Usage } from "../api/usage.ts";
import { formatMinute, formatUnits } from "../format.ts";
import { endOfGrant, leftOfPlan, splitGrants } from "../grants.ts";
import { Scroll } from "./scroll.tsx";

interface GrantListProps {
  readonly grants: readonly Grant[];
  readonly usage: Usage;
}

/** The plan's units and those granted beside them, in the order of their use. */
export function GrantList({ grants, usage: { plan, billing_period, usage } }: GrantListProps) {
  const { usable, others } = splitGrants(grants);
  return (
    <section class="card stack-close" aria-labelledby="grants">
      <h2 id="grants">Granted units</h2>
      <p class="aside">
        They are used when the quota of the month is used up, those that expire first before others.
      </p>
      <Scroll name="Units that are left">
        <table class="table">
          <GrantHead end="Until" />
          <tbody>
            <tr>
              <th scope="row" class="grant-reference">
                Plan {plan}
              </th>
              <td class="number">{formatUnits(leftOfPlan(usage.remaining_units, grants))}</td>
              <td>{formatMinute(billing_period.end)}</td>
            </tr>
            {usable.map((grant) => (
              <GrantRow key={grant.id} grant={grant} />
            ))}
          </tbody>
        </table>
      </Scroll>
      {others.length === 0 ? null : (
        <details>
          <summary>Used up, expired or revoked ({formatUnits(others.length)})</summary>
          <Scroll name="Former grants">
            <table class="table">
              <GrantHead end="Why" />
              <tbody>
                {others.map((grant) => (
                  <GrantRow key={grant.id} grant={grant} />
                ))}
              </tbody>
            </table>
          </Scroll>
        </details>
      )}
    </section>
  );
}

function GrantHead({ end }: { readonly end: string }) {
  return (
    <thead>
      <tr>
        <th scope="col">Reference</th>
        <th scope="col" class="number">
          Units left
        </th>
        <th scope="col">{end}</th>
      </tr>
    </thead>
  );
}

function GrantRow({ grant }: { readonly grant: Grant }) {
  return (
    <tr>
      <th scope="row" class="grant-reference">
        {grant.reference}
      </th>
      <td class="number no-break">
        {formatUnits(grant.remaining_units)} of {formatUnits(grant.units)}
      </td>
      <td>{endOfGrant(grant)}</td>
    </tr>
  );
}
