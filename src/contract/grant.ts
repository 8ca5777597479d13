/** Grants: permissions that hold until a person revokes them or they expire. */

/** Whom a grant is for. All that is named must fit; naming nothing means everybody. */
export interface GrantSubject {
  readonly user?: string;
  readonly role?: string;
  readonly agent?: string;
  readonly session?: string;
}

export interface Grant {
  readonly id: string;
  readonly subject: GrantSubject;
  /** A permission such as `tool:web_search`; a `*` at the end stands for whatever follows. */
  readonly resource: string;
  /** The actions it covers; `*` is all of them. */
  readonly actions: readonly string[];
  /** A CEL condition over the same names as a policy rule. */
  readonly condition?: string;
  /** Also answers where the policy would ask a person. */
  readonly skipsApproval: boolean;
  /** The definition of the tool it was given for; lapses when that changes. */
  readonly definition?: string;
  /** What the person saw who allowed a pattern: links may lead there, and nowhere else. */
  readonly targets?: readonly string[];
  readonly createdAt: number;
  readonly expiresAt?: number;
  readonly by: string;
  readonly note?: string;
  /**
   * Proves that this user gave it. A grant without a seal counts only in the process that made it.
   */
  readonly seal?: string;
}

export type NewGrant = Omit<Grant, 'id' | 'createdAt' | 'seal'>;

export interface Grants {
  add(grant: Grant): Promise<void>;
  /** Revokes a grant; false when there is none of this id. */
  revoke(id: string): Promise<boolean>;
  /** Lists the grants that have not expired, newest first. */
  list(now: number): Promise<readonly Grant[]>;
}
