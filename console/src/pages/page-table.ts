/** The pages in the order of the navigation. A new page is a folder beside this file and a line here. */
import { type ComponentType, lazy } from 'react';
import type { IconName } from '../components/icon.tsx';

export interface PageEntry {
  /** The first part of its address: `#/tools`. */
  readonly id: string;
  readonly title: string;
  /** `g` and then this letter goes there. */
  readonly letter: string;
  readonly icon: IconName;
  readonly Page: ComponentType;
}

/** Loads the file of a page when the page is first opened. */
const later = (load: () => Promise<ComponentType>): ComponentType =>
  lazy(async () => ({ default: await load() }));

export const PAGES: readonly PageEntry[] = [
  {
    id: 'overview',
    title: 'Overview',
    letter: 'o',
    icon: 'overview',
    Page: later(async () => (await import('./overview/overview-page.tsx')).OverviewPage),
  },
  {
    id: 'activity',
    title: 'Activity',
    letter: 'a',
    icon: 'activity',
    Page: later(async () => (await import('./activity/activity-page.tsx')).ActivityPage),
  },
  {
    id: 'approvals',
    title: 'Approvals',
    letter: 'p',
    icon: 'approvals',
    Page: later(async () => (await import('./approvals/approvals-page.tsx')).ApprovalsPage),
  },
  {
    id: 'flows',
    title: 'Flows',
    letter: 'f',
    icon: 'flows',
    Page: later(async () => (await import('./flows/flows-page.tsx')).FlowsPage),
  },
  {
    id: 'tools',
    title: 'Tools',
    letter: 't',
    icon: 'tools',
    Page: later(async () => (await import('./tools/tools-page.tsx')).ToolsPage),
  },
  {
    id: 'jobs',
    title: 'Jobs',
    letter: 'j',
    icon: 'jobs',
    Page: later(async () => (await import('./jobs/jobs-page.tsx')).JobsPage),
  },
  {
    id: 'sources',
    title: 'Sources',
    letter: 's',
    icon: 'servers',
    Page: later(async () => (await import('./sources/sources-page.tsx')).SourcesPage),
  },
  {
    id: 'catalog',
    title: 'Catalog',
    letter: 'l',
    icon: 'catalog',
    Page: later(async () => (await import('./catalog/catalog-page.tsx')).CatalogPage),
  },
  {
    id: 'costs',
    title: 'Costs',
    letter: 'c',
    icon: 'costs',
    Page: later(async () => (await import('./costs/costs-page.tsx')).CostsPage),
  },
  {
    id: 'alerts',
    title: 'Alerts',
    letter: 'w',
    icon: 'alert',
    Page: later(async () => (await import('./alerts/alerts-page.tsx')).AlertsPage),
  },
  {
    id: 'audit',
    title: 'Audit',
    letter: 'u',
    icon: 'audit',
    Page: later(async () => (await import('./audit/audit-page.tsx')).AuditPage),
  },
  {
    id: 'policy',
    title: 'Policy',
    letter: 'r',
    icon: 'policy',
    Page: later(async () => (await import('./policy/policy-page.tsx')).PolicyPage),
  },
  {
    id: 'settings',
    title: 'Settings',
    letter: 'e',
    icon: 'settings',
    Page: later(async () => (await import('./settings/settings-page.tsx')).SettingsPage),
  },
];
