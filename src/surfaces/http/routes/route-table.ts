/** All routes. A fixed path comes before one whose parameter would match it. */
import type { Route } from '../route.ts';
import { LINK_ROUTES } from './approval-links.ts';
import { APPROVAL_ROUTES } from './approvals.ts';
import { AUDIT_ROUTES } from './audit.ts';
import { CATALOG_ROUTES } from './catalog.ts';
import { CALL_ROUTES } from './execute.ts';
import { EXECUTION_ROUTES } from './executions.ts';
import { FLOW_ROUTES } from './flows.ts';
import { DELIVERY_ROUTES } from './job-delivery.ts';
import { JOB_ROUTES } from './jobs.ts';
import { ALERT_ROUTES } from './observation/alerts.ts';
import { CHECK_ROUTES } from './observation/checks.ts';
import { HEALTH_ROUTES } from './observation/health.ts';
import { LOG_ROUTES } from './observation/log-level.ts';
import { METRIC_ROUTES } from './observation/metrics.ts';
import { USAGE_ROUTES } from './observation/usage.ts';
import { PERMISSION_ROUTES } from './permissions.ts';
import { POLICY_ROUTES } from './policy.ts';
import { SERVER_ROUTES } from './servers.ts';
import { SESSION_ROUTES } from './session.ts';
import { SOURCE_ROUTES } from './sources.ts';
import { STREAM_ROUTES } from './streams.ts';
import { TEAM_ROUTES } from './team.ts';
import { TOKEN_ROUTES } from './tokens.ts';
import { TOOL_ROUTES } from './tools.ts';
import { CALLBACK_ROUTES } from './workflow-callbacks.ts';

export const ROUTES: readonly Route[] = [
  ...HEALTH_ROUTES,
  ...CHECK_ROUTES,
  ...SESSION_ROUTES,
  ...TOOL_ROUTES,
  ...CALL_ROUTES,
  ...EXECUTION_ROUTES,
  ...FLOW_ROUTES,
  ...JOB_ROUTES,
  ...APPROVAL_ROUTES,
  ...LINK_ROUTES,
  ...AUDIT_ROUTES,
  ...USAGE_ROUTES,
  ...METRIC_ROUTES,
  ...LOG_ROUTES,
  ...ALERT_ROUTES,
  ...SERVER_ROUTES,
  ...CATALOG_ROUTES,
  ...TEAM_ROUTES,
  ...SOURCE_ROUTES,
  ...POLICY_ROUTES,
  ...PERMISSION_ROUTES,
  ...TOKEN_ROUTES,
  ...STREAM_ROUTES,
  ...DELIVERY_ROUTES,
  ...CALLBACK_ROUTES,
];
