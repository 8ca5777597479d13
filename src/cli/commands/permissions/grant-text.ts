/** A standing grant in words. */
import type { Grant, GrantSubject } from '../../../contract/grant.ts';

const KINDS = ['user', 'role', 'agent', 'session'] as const;

/** `user ada, agent bot`; `everyone` when nobody is named. */
export const subjectText = (subject: GrantSubject): string => {
  const named = KINDS.filter((kind) => subject[kind] !== undefined);
  return named.map((kind) => `${kind} ${subject[kind]}`).join(', ') || 'everyone';
};

/** `every action`, or their names. */
export const actionsText = ({ actions }: Pick<Grant, 'actions'>): string =>
  actions.includes('*') ? 'every action' : actions.join(', ');
