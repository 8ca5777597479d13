// One process that works on the report: it starts the run, or goes on with it where another one stopped.
import { readFileSync } from 'node:fs';
import { createCrib, defineTool } from 'toolcrib';
import { z } from 'zod';

const [root, site] = process.argv.slice(2);
const needs = { hosts: ['127.0.0.1'] };

const searchSite = defineTool({
  name: 'search_site',
  description: 'Finds pages.',
  tier: 'read_only',
  needs,
  input: z.strictObject({ query: z.string() }),
  output: z.object({ urls: z.array(z.string()) }),
  run: async ({ query }, { fetch }) =>
    (await fetch(`${site}/search?q=${encodeURIComponent(query)}`)).json(),
});
const readPage = defineTool({
  name: 'read_page',
  description: 'Reads a page.',
  tier: 'read_only',
  needs,
  input: z.strictObject({ url: z.string() }),
  output: z.object({ text: z.string() }),
  run: async ({ url }, { fetch }) => (await fetch(url)).json(),
});
const summarize = defineTool({
  name: 'summarize',
  description: 'Takes the first sentence of each text.',
  tier: 'read_only',
  input: z.strictObject({ texts: z.array(z.string()) }),
  output: z.object({ report: z.string() }),
  run: ({ texts }) => ({ report: texts.map((text) => `${text.split('. ')[0]}.`).join(' ') }),
});
const sendReport = defineTool({
  name: 'send_report',
  description: 'Sends a report to a person.',
  tier: 'external_api',
  needs,
  input: z.strictObject({ to: z.string(), report: z.string() }),
  output: z.object({ id: z.string() }),
  run: async (report, { fetch }) =>
    (await fetch(`${site}/reports`, { method: 'POST', body: JSON.stringify(report) })).json(),
});

const crib = await createCrib({
  root,
  home: root,
  builtins: false,
  tools: [searchSite, readPage, summarize, sendReport],
  config: { egress: { allowPrivate: ['127.0.0.1'] } },
  // The person who reads the report decides about sending it: the call itself need not ask again.
  policy: { version: 1, rules: [{ name: 'send', effect: 'allow', tools: ['*'] }] },
});
await crib.flows.registerData(readFileSync(new URL('./research.yml', import.meta.url), 'utf8'));
// `node worker.mjs <folder> <site> decide`: the person reads the question and says yes.
if (process.argv[4] === 'decide') {
  const [question] = await crib.approvals.list();
  console.log('question', question.request.input.details.report);
  await crib.approvals.decide(question.id, { approve: true, by: 'ada' });
  await crib.close();
} else {
  const input = { topic: 'bees', to: 'ada@example.com' };
  const { finished } = await crib.flows.start('research', input, { runId: 'report' });
  console.log('started');
  const run = await finished;
  console.log('finished', run.status, JSON.stringify(run.output ?? run.error));
  await crib.close();
}
