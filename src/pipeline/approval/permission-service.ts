/** Where standing grants are given and taken back. Each of both is a row in the audit trail. */
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

export interface PermissionDeskDeps {
  readonly grants: Grants;
  readonly audit: Pick<AuditLog, 'append'>;
  readonly runtime: Pick<Runtime, 'now'>;
  readonly events: Events;
  readonly seals: Seals;
}

const invalid = (message: string, ...suggestions: readonly string[]) =>
  new ToolFailure('VALIDATION_ERROR', message, { suggestions });

/** Grants of one giver at a time: each is read with every call that they could decide. */
export const MAX_GRANTS_PER_GIVER = 1000;

const tooMany = () =>
  new ToolFailure('CONFLICT', `There are ${MAX_GRANTS_PER_GIVER} standing grants of this giver.`, {
    suggestions: ['Take some back with `toolcrib permissions revoke`, or allow this call only.'],
  });

/** What a grant allows, as text; neither how long nor since when. */
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
  readonly #deps: PermissionDeskDeps;

  constructor(deps: PermissionDeskDeps) {
    this.#deps = deps;
  }

  /** Throws VALIDATION_ERROR for a grant that makes no sense, CONFLICT when its giver has too many. */
  async check(wanted: NewGrant): Promise<void> {
    assertUsable(wanted, this.#deps.runtime.now());
    await this.#compile(wanted);
    await this.#equalTo(wanted);
  }

  async #compile(wanted: NewGrant): Promise<void> {
    if (wanted.condition === undefined) return;
    // The rule language is loaded for those who use it.
    const { compileCondition } = await import(
      '../../governance/policy/condition/compile-condition.ts'
    );
    compileCondition(wanted.condition);
  }

  /** Those of this user that allow the same. Throws when one more would be too many. */
  async #equalTo(wanted: NewGrant): Promise<readonly Grant[]> {
    const given = (await this.list()).filter(({ by }) => by === wanted.by);
    const meaning = meaningOf(wanted);
    const equal = given.filter((grant) => meaningOf(grant) === meaning);
    if (equal.length === 0 && given.length >= MAX_GRANTS_PER_GIVER) throw tooMany();
    const { seals } = this.#deps;
    const ours = await Promise.all(equal.map((each) => seals.isOurs(grantText(each), each.seal)));
    return equal.filter((_, index) => ours[index]);
  }

  /** One that allows the same already, and no shorter, is the answer; shorter ones are replaced. */
  async grant(wanted: NewGrant): Promise<Grant> {
    const { runtime, grants } = this.#deps;
    const createdAt = runtime.now();
    await this.check(wanted);
    const equal = await this.#equalTo(wanted);
    const longer = equal.find((each) => endOf(each) >= endOf(wanted));
    if (longer) return longer;
    const unsealed: Grant = { ...wanted, id: unguessableId('grant'), createdAt };
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
    // First it is gone, then it is told: a revoked grant must not live on because of a full disk.
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
