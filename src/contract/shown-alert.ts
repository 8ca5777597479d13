/** The definition of an alert as others may read it: in lists, and in the audit trail. */
import type { AlertAction, AlertDefinition } from './alerts.ts';

/** Cuts an address down to where it goes: its path may be a credential. */
const shownAction = (action: AlertAction): AlertAction => {
  if (action.type !== 'webhook' || !URL.canParse(action.url)) return action;
  const { origin, pathname, search } = new URL(action.url);
  return { ...action, url: pathname === '/' && search === '' ? origin : `${origin}/…` };
};

export const shownAlert = (definition: AlertDefinition): AlertDefinition => {
  const { actions } = definition;
  return actions ? { ...definition, actions: actions.map(shownAction) } : definition;
};
