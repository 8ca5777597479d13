/** Gives standing grants and takes them back. Either is a row in the audit trail. */
import type { AuditLog } from '../../contract/audit.ts';
import type { Permissions } from '../../contract/crib-members.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Events } from '../../contract/events.ts';
import type { Grant, Grants, NewGrant } from '../../contract/grant.ts';
import type { Runtime } from '../../contract/runtime.ts';
import { grantText, type Seals } from '../../governance/approvals/seals.ts';
import { unguessableId } from '../../governance/ids.ts';
import { canonicalJson } from '../../kit/data/canonical-json.ts';
import { auditEvent } from '../record/audit-event.ts';

export interface PermissionServiceDeps {
  readonly grants: Grants;
  readonly audit: Pick<AuditLog, 'append'>;
  readonly runtime: Pick<Runtime, 'now'>;
  readonly events: Events;
  readonly seals: Seals;
}

const invalid = (message: string, ...suggestions: readonly string[]) =>
  new ToolFailure('VALIDATION_ERROR', message, { suggestions });

/** Limits the grants that one giver has at a time: all of them are read for each call that one could decide. */
export const MAX_GRANTS_PER_GIVER = 1000;

const tooMany = () =>
  new ToolFailure('CONFLICT', `There are ${MAX_GRANTS_PER_GIVER} standing grants of this giver.`, {
    suggestions: ['Take some back with `toolcrib permissions revoke`, or allow this call only.'],
  });

/** Writes what a grant allows as text; leaves out how long and since when. */
const meaningOf = (grant: NewGrant): string => {
  const { subject, resource, actions, condition, skipsApproval, definition, targets, by } = grant;
  return canonicalJson([
    { ...subject },
    resource,
    actions,
    condition ?? null,
    skipsApproval,
    definition ?? null,
    targets ?? null,
    by,
  ]);
};

const endOf = ({ expiresAt = Number.POSITIVE_INFINITY }: Pick<Grant, 'expiresAt'>): number =>
  expiresAt;

const SUBJECTS = ['user', 'role', 'agent', 'session'] as const;

/** A `*` anywhere but at the end would read like a pattern and match nothing. */
const RESOURCE = /^[^\s*]+\*?$|^\*$/;

const assertUsable = (grant: NewGrant, now: number): void => {
  const names = SUBJECTS.map((kind) => grant.subject[kind]);
  if (names.some((name) => name !== undefined && name.trim() === '')) {
    throw invalid('A grant names an empty user, role, agent or session.');
  }
  // A lookup that failed must not become a grant to everybody: that is an empty object.
  const isUnset =
    names.every((name) => name === undefined) && Object.keys(grant.subject).length > 0;
  if (isUnset) {
    throw invalid(
      'The subject of a grant names nobody: its fields are undefined.',
      'Give a user, role, agent or session; an empty object means everybody.',
    );
  }
  if (!RESOURCE.test(grant.resource)) {
    throw invalid(
      'The resource of a grant is a permission such as tool:web_search.',
      'A * may stand at its end, as in tool:git*.',
    );
  }
  if (grant.actions.length === 0 || grant.actions.some((action) => action.trim() === '')) {
    throw invalid('A grant covers at least one action.', 'Use * for all of them.');
  }
  if (grant.expiresAt !== undefined && !(grant.expiresAt > now)) {
    throw invalid('A grant cannot expire in the past.');
  }
};

export class PermissionService implements Permissions {
  readonly #deps: PermissionServiceDeps;

  constructor(deps: PermissionServiceDeps) {
    this.#deps = deps;
  }

  /** Throws VALIDATION_ERROR for a grant that makes no sense, CONFLICT when its giver has too many. */
  async check(grant: NewGrant): Promise<void> {
    assertUsable(grant, this.#deps.runtime.now());
    await this.#compile(grant);
    await this.#equalTo(grant);
  }

  async #compile({ condition }: NewGrant): Promise<void> {
    if (condition === undefined) return;
    // The rule language is loaded for those who use it.
    const { compileCondition } = await import(
      '../../governance/policy/condition/compile-condition.ts'
    );
    compileCondition(condition);
  }

  /** Finds grants of the same giver that allow the same. Throws when one more would be too many. */
  async #equalTo(grant: NewGrant): Promise<readonly Grant[]> {
    const ofGiver = (await this.list()).filter(({ by }) => by === grant.by);
    const meaning = meaningOf(grant);
    const equal = ofGiver.filter((each) => meaningOf(each) === meaning);
    if (equal.length === 0 && ofGiver.length >= MAX_GRANTS_PER_GIVER) throw tooMany();
    const { seals } = this.#deps;
    const ours = await Promise.all(equal.map((each) => seals.isOurs(grantText(each), each.seal)));
    return equal.filter((_, index) => ours[index]);
  }

  /** Returns a grant that allows the same for as long or longer; replaces shorter ones with a new one. */
  async grant(newGrant: NewGrant): Promise<Grant> {
    const { runtime, grants } = this.#deps;
    const createdAt = runtime.now();
    await this.check(newGrant);
    const equal = await this.#equalTo(newGrant);
    const longer = equal.find((each) => endOf(each) >= endOf(newGrant));
    if (longer) return longer;
    const unsealed: Grant = { ...newGrant, id: unguessableId('grant'), createdAt };
    const seal = await this.#deps.seals.seal(grantText(unsealed));
    const grant = seal === undefined ? unsealed : { ...unsealed, seal };
    await this.#note('permission.granted', grant, grant.by);
    await grants.add(grant);
    for (const { id } of equal) await this.revoke(id, grant.by);
    this.#deps.events.emit('permission.granted', { grantId: grant.id, resource: grant.resource });
    return grant;
  }

  async revoke(id: string, by = 'local'): Promise<boolean> {
    const { grants, runtime, events } = this.#deps;
    const grant = (await grants.list(runtime.now())).find((each) => each.id === id);
    // Revoked first, recorded second: a full disk must not keep a grant alive.
    if (!(await grants.revoke(id))) return false;
    if (grant) await this.#note('permission.revoked', grant, by);
    events.emit('permission.revoked', { grantId: id });
    return true;
  }

  list(): Promise<readonly Grant[]> {
    return this.#deps.grants.list(this.#deps.runtime.now());
  }

  async #note(event: string, grant: Grant, by: string): Promise<void> {
    const { id, subject, resource, actions, condition, expiresAt, skipsApproval } = grant;
    const detail = { subject, resource, actions, condition, expiresAt, skipsApproval };
    const at = this.#deps.runtime.now();
    await this.#deps.audit.append(auditEvent({ event, id, at, by, status: 'success', detail }));
  }
}
