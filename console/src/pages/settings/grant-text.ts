/** A grant in words. */
import type { Grant } from './setting-records.ts';

const WORDS = ['user', 'role', 'agent', 'session'] as const;

/** Writes `user alice, agent ci`; everybody when nobody is named. */
export const subjectText = ({ subject }: Pick<Grant, 'subject'>): string => {
  const named = WORDS.flatMap((word) => {
    const name = subject[word];
    return name === undefined ? [] : [`${word} ${name}`];
  });
  return named.length === 0 ? 'everybody' : named.join(', ');
};

export const actionsText = ({ actions }: Pick<Grant, 'actions'>): string =>
  actions.includes('*') ? 'all actions' : actions.join(', ');
