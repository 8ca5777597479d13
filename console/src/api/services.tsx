/** What every page may use, handed in from the top: the API, the clock, live events, who is signed in. */
import { createContext, type ReactNode, use } from 'react';
import type { LiveEvents } from '../live/live-events.ts';
import type { Role, Session } from './call-records.ts';
import type { Api } from './create-api.ts';

export interface Services {
  readonly api: Api;
  readonly live: LiveEvents;
  readonly now: () => number;
  readonly session: Session;
  signOut(): Promise<void>;
}

const Context = createContext<Services | undefined>(undefined);

export const ServicesProvider = (props: {
  readonly value: Services;
  readonly children: ReactNode;
}) => <Context value={props.value}>{props.children}</Context>;

export const useServices = (): Services => {
  const services = use(Context);
  if (!services) throw new Error('useServices is for components inside ServicesProvider.');
  return services;
};

const RANK: Readonly<Record<Role, number>> = { viewer: 0, agent: 0, operator: 1, admin: 2 };

/** Tells whether the signed-in person may do what a role may. The server has the last word. */
export const useMay = (role: 'operator' | 'admin'): boolean =>
  RANK[useServices().session.role] >= RANK[role];
