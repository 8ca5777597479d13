import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readWorkflow } from './read-workflow.ts';
import { SHIPPED_WORKFLOWS } from './shipped-workflows.ts';

interface Node {
  readonly name: string;
  readonly type: string;
  readonly typeVersion: number;
  readonly position: readonly number[];
  readonly parameters: Readonly<Record<string, unknown>>;
}

interface WorkflowFile {
  readonly id: string;
  readonly name: string;
  readonly active: boolean;
  readonly nodes: readonly Node[];
  readonly connections: Readonly<Record<string, { main: { node: string }[][] }>>;
}

const FOLDER = join(import.meta.dirname, '../../../integrations/n8n');
const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));
const readFile = (file: string): WorkflowFile =>
  JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as WorkflowFile;

/** Follows the connections from a node. */
const chainFrom = ({ connections }: WorkflowFile, name: string): readonly string[] => {
  const next = connections[name]?.main[0]?.[0]?.node;
  return next === undefined ? [name] : [name, ...chainFrom({ connections } as never, next)];
};

describe('the workflow files to import', () => {
  it('are five, each a chain of all its nodes, switched off until somebody publishes it', () => {
    expect(files).toHaveLength(5);
    for (const file of files) {
      const workflow = readFile(file);
      const nodes = workflow.nodes.filter(({ type }) => !type.endsWith('.stickyNote'));
      expect(workflow.active).toBe(false);
      expect(chainFrom(workflow, nodes[0]?.name ?? '')).toEqual(nodes.map(({ name }) => name));
    }
  });

  it.each(Object.entries(SHIPPED_WORKFLOWS))('%s has one with its id and path', (_name, own) => {
    const workflow = files.map(readFile).find(({ id }) => id === own.workflowId);
    expect(workflow?.nodes[0]).toMatchObject({
      type: 'n8n-nodes-base.webhook',
      parameters: { path: own.webhookPath, httpMethod: 'POST', authentication: 'headerAuth' },
    });
    const reading = readWorkflow({ ...workflow, active: true });
    expect(reading).toMatchObject({ workflow: { webhookPath: own.webhookPath } });
    // Every field of the input is used by the workflow, but the data for an app.
    const text = JSON.stringify(workflow?.nodes);
    const fields = Object.keys(own.input?.properties as object).filter((name) => name !== 'data');
    for (const field of fields) expect(text).toContain(`$json.body.${field}`);
  });

  it('answer by a Respond to Webhook node that tells the execution', () => {
    for (const { webhookPath } of Object.values(SHIPPED_WORKFLOWS)) {
      const workflow = files
        .map(readFile)
        .find(({ nodes }) => nodes[0]?.parameters.path === webhookPath);
      const answer = workflow?.nodes.find(({ type }) => type.endsWith('.respondToWebhook'));
      expect(JSON.stringify(answer)).toContain('x-n8n-execution-id');
    }
  });
});
