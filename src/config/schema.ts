/**
 * The schema of the configuration. The type, the help text, the template and the published JSON Schema
 * are derived from it, so a setting that is not here does not exist.
 */
import { z } from 'zod';
import { auditSection } from './sections/audit.ts';
import {
  datetimeSection,
  observationSection,
  secretsSection,
  storeSection,
  workspaceSection,
} from './sections/basics.ts';
import { egressSection, filteringSection, validationSection } from './sections/calls/bounds.ts';
import { budgetSection } from './sections/calls/budget.ts';
import { executionSection } from './sections/calls/execution.ts';
import {
  approvalsSection,
  commandsSection,
  enforcementSection,
  policySection,
} from './sections/calls/rules.ts';
import { sandboxSection } from './sections/calls/sandbox.ts';
import { jobsSection } from './sections/jobs.ts';
import { serverSection } from './sections/server.ts';
import { sourcesSection } from './sections/sources/external.ts';
import { mcpSection } from './sections/sources/mcp.ts';
import { modelSection } from './sections/sources/model.ts';
import { packagesSection } from './sections/sources/packages.ts';
import { registrySection, teamsSection } from './sections/sources/registry.ts';
import { servicesSection } from './sections/sources/services.ts';
import { toolsSection } from './sections/sources/tools.ts';

/** The order is that of the template and the documentation. */
export const configSchema = z
  .strictObject({
    workspace: workspaceSection,
    tools: toolsSection,
    execution: executionSection,
    sandbox: sandboxSection,
    validation: validationSection,
    filtering: filteringSection,
    policy: policySection,
    commands: commandsSection,
    egress: egressSection,
    secrets: secretsSection,
    services: servicesSection,
    budget: budgetSection,
    approvals: approvalsSection,
    audit: auditSection,
    store: storeSection,
    jobs: jobsSection,
    registry: registrySection,
    mcp: mcpSection,
    sources: sourcesSection,
    packages: packagesSection,
    server: serverSection,
    teams: teamsSection,
    enforcement: enforcementSection,
    model: modelSection,
    observation: observationSection,
    datetime: datetimeSection,
  })
  .describe('The configuration of Toolcrib.');

export type Config = z.output<typeof configSchema>;

/** The input: every section and setting has a default. */
export type ConfigInput = z.input<typeof configSchema>;

/** Compiling the schema takes longer than it saves in the few times it is used. */
export const PARSED_ONCE = { jitless: true } as const;

/** Gives the defaults, a fresh copy each time. */
export const defaultConfig = (): Config => configSchema.parse({}, PARSED_ONCE);
