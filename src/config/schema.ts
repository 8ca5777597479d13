/**
 * The one schema of the configuration. The type, the help text, the template and the published JSON
 * Schema are all derived from it, so a setting that is not here does not exist.
 */
import { z } from 'zod';
import { approvalsSection } from './sections/approvals.ts';
import { auditSection } from './sections/audit.ts';
import { budgetSection } from './sections/budget.ts';
import { commandsSection } from './sections/commands.ts';
import { datetimeSection } from './sections/datetime.ts';
import { egressSection } from './sections/egress.ts';
import { enforcementSection } from './sections/enforcement.ts';
import { executionSection } from './sections/execution.ts';
import { filteringSection } from './sections/filtering.ts';
import { mcpSection } from './sections/mcp.ts';
import { modelSection } from './sections/model.ts';
import { observationSection } from './sections/observation.ts';
import { policySection } from './sections/policy.ts';
import { registrySection } from './sections/registry.ts';
import { sandboxSection } from './sections/sandbox.ts';
import { secretsSection } from './sections/secrets.ts';
import { serverSection } from './sections/server.ts';
import { servicesSection } from './sections/services.ts';
import { storeSection } from './sections/store.ts';
import { teamsSection } from './sections/teams.ts';
import { toolsSection } from './sections/tools.ts';
import { validationSection } from './sections/validation.ts';
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
