/**
 * The one schema of the configuration. The type, the help text, the template and the published JSON
 * Schema are all derived from it, so a setting that is not here does not exist.
 */
import { z } from 'zod';
import { auditSection } from './sections/audit.ts';
import { approvalsSection } from './sections/calls/approvals.ts';
import { budgetSection } from './sections/calls/budget.ts';
import { commandsSection } from './sections/calls/commands.ts';
import { egressSection } from './sections/calls/egress.ts';
import { enforcementSection } from './sections/calls/enforcement.ts';
import { executionSection } from './sections/calls/execution.ts';
import { filteringSection } from './sections/calls/filtering.ts';
import { policySection } from './sections/calls/policy.ts';
import { sandboxSection } from './sections/calls/sandbox.ts';
import { validationSection } from './sections/calls/validation.ts';
import { datetimeSection } from './sections/datetime.ts';
import { observationSection } from './sections/observation.ts';
import { secretsSection } from './sections/secrets.ts';
import { serverSection } from './sections/server.ts';
import { mcpSection } from './sections/sources/mcp.ts';
import { modelSection } from './sections/sources/model.ts';
import { registrySection } from './sections/sources/registry.ts';
import { servicesSection } from './sections/sources/services.ts';
import { teamsSection } from './sections/sources/teams.ts';
import { toolsSection } from './sections/sources/tools.ts';
import { storeSection } from './sections/store.ts';
import { workspaceSection } from './sections/workspace.ts';

/** Order is the order of the template and the documentation. */
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
    registry: registrySection,
    mcp: mcpSection,
    server: serverSection,
    teams: teamsSection,
    enforcement: enforcementSection,
    model: modelSection,
    observation: observationSection,
    datetime: datetimeSection,
  })
  .describe('The configuration of Toolcrib.');

export type Config = z.output<typeof configSchema>;

/** What may be written: every section and setting has a default. */
export type ConfigInput = z.input<typeof configSchema>;

/** Compiling the schema takes longer than the few times it is used would ever win back. */
export const PARSED_ONCE = { jitless: true } as const;

/** What holds when nothing is configured. A fresh copy each time. */
export const defaultConfig = (): Config => configSchema.parse({}, PARSED_ONCE);
