/** Whom a sign-in link is for. */
import type { Role } from '../../api/call-records.ts';
import { NAME, NAME_PROBLEM, ROLES } from './token-form.ts';

export interface PersonForm {
  readonly user: string;
  readonly role: Role;
}

export const EMPTY_PERSON: PersonForm = { user: '', role: 'viewer' };

/** Agents have tokens; the console is for people. */
export const PERSON_ROLES = ROLES.filter(([role]) => role !== 'agent');

export const personProblem = ({ user }: PersonForm): string | undefined =>
  NAME.test(user.trim()) ? undefined : NAME_PROBLEM;

/** Makes the link. Until it is used, whoever has it can sign in as that person. */
export const signInLink = (origin: string, code: string): string => `${origin}/#code=${code}`;
