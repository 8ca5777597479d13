/** Finds the grants that answer for a call: live, sealed by this user, and covering all it needs. */
import type { Grant, Grants } from '../../contract/grant.ts';
import type { PolicyQuestion } from '../../contract/policy.ts';
import { grantText, type Seals } from '../../governance/approvals/seals.ts';
import type { ConditionCache } from '../../governance/policy/grant-covers.ts';

export interface StandingGrantsDeps {
  readonly grants: Grants;
  readonly seals: Seals;
}

/** Returns a grant that gives the resource, if there is one. */
export type GrantSearch = (resource: string, skipsApproval?: true) => Grant | undefined;

const NONE: GrantSearch = () => undefined;

export class StandingGrants {
  readonly #deps: StandingGrantsDeps;
  #conditions: ConditionCache | undefined = undefined;

  constructor(deps: StandingGrantsDeps) {
    this.#deps = deps;
  }

  /** Tells whether there is a live grant of a permission, for whatever caller and call. */
  async hasFor(permission: string, now: number): Promise<boolean> {
    const grants = await this.#deps.grants.list(now);
    if (grants.length === 0) return false;
    const { fitsResource } = await import('../../governance/policy/grant-covers.ts');
    return grants.some(({ resource }) => fitsResource(resource, permission));
  }

  /** Reads the store each time: what was revoked elsewhere is gone here, too. */
  async forCall(question: PolicyQuestion, definition: string): Promise<GrantSearch> {
    const grants = await this.#deps.grants.list(question.now);
    if (grants.length === 0) return NONE;
    const ours: Grant[] = [];
    for (const grant of grants) {
      if (await this.#deps.seals.isOurs(grantText(grant), grant.seal)) ours.push(grant);
    }
    // The rule language is loaded for those who use it.
    const { createConditionCache, grantCovers } = await import(
      '../../governance/policy/grant-covers.ts'
    );
    this.#conditions ??= createConditionCache();
    const conditions = this.#conditions;
    return (resource, skipsApproval) =>
      ours.find(
        (grant) =>
          (!skipsApproval || grant.skipsApproval) &&
          grantCovers(grant, question, { resource, definition, conditions }),
      );
  }
}
