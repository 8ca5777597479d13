/** The definition of an alert as others may read it: in lists, and in the audit trail. */
import type { AlertAction, AlertDefinition } from './alerts.ts';

/** The path of an address may be a credential: only where it goes is shown. */
const shownAction = (action: AlertAction): AlertAction => {
  if (action.type !== 'webhook' || !URL.canParse(action.url)) return action;
  const { origin, pathname, search } = new URL(action.url);
  return { ...action, url: pathname === '/' && search === '' ? origin : `${origin}/…` };
};

export const shownAlert = (definition: AlertDefinition): AlertDefinition => {
  const { actions } = definition;
  return actions ? { ...definition, actions: actions.map(shownAction) } : definition;
};
