// The tools of the report, and what a process that works on it does. Both forms of the flow use them.
import { setTimeout as pause } from 'node:timers/promises';
import { createCrib, defineTool } from 'toolcrib';
import { z } from 'zod';

const needs = { hosts: ['127.0.0.1'] };

/** The tools, for a site at this address. */
export const createTools = (site) => ({
  searchSite: defineTool({
    name: 'search_site',
    description: 'Finds pages.',
    tier: 'read_only',
    needs,
    input: z.strictObject({ query: z.string() }),
    output: z.object({ urls: z.array(z.string()) }),
    run: async ({ query }, { fetch }) =>
      (await fetch(`${site}/search?q=${encodeURIComponent(query)}`)).json(),
  }),
  readPage: defineTool({
    name: 'read_page',
    description: 'Reads a page.',
    tier: 'read_only',
    needs,
    input: z.strictObject({ url: z.string() }),
    output: z.object({ text: z.string() }),
    run: async ({ url }, { fetch }) => (await fetch(url)).json(),
  }),
  summarize: defineTool({
    name: 'summarize',
    description: 'Takes the first sentence of each text.',
    tier: 'read_only',
    input: z.strictObject({ texts: z.array(z.string()) }),
    output: z.object({ report: z.string() }),
    run: ({ texts }) => ({ report: texts.map((text) => `${text.split('. ')[0]}.`).join(' ') }),
  }),
  sendReport: defineTool({
    name: 'send_report',
    description: 'Sends a report to a person.',
    tier: 'external_api',
    needs,
    input: z.strictObject({ to: z.string(), report: z.string() }),
    output: z.object({ id: z.string() }),
    run: async (report, { fetch }) =>
      (await fetch(`${site}/reports`, { method: 'POST', body: JSON.stringify(report) })).json(),
  }),
});

/** Says how many steps are on record, and what the run waits for, until it is over. */
const follow = async (crib, runId, isOver) => {
  let last = '';
  while (!isOver()) {
    const [run, steps] = [await crib.flows.get(runId), await crib.flows.steps(runId)];
    const done = steps.filter(({ state }) => state === 'done');
    const read = done.filter(({ name }) => name === 'read_page').length;
    const line = `pages ${read}, ${run?.status}`;
    if (line !== last) console.log(line);
    last = line;
    await pause(20);
  }
};

/**
 * One process: `node worker.mjs <folder> <site>` starts the run, or goes on with it where another one
 * stopped. With `decide` behind, it is the person who reads the question and says yes.
 */
export const work = async ({ tools, register }) => {
  const [root, , task] = process.argv.slice(2);
  const crib = await createCrib({
    root,
    home: root,
    builtins: false,
    tools: Object.values(tools),
    config: { egress: { allowPrivate: ['127.0.0.1'] } },
    // The person who reads the report decides about sending it: the call itself need not ask again.
    policy: { version: 1, rules: [{ name: 'send', effect: 'allow', tools: ['*'] }] },
  });
  await register(crib.flows);
  if (task === 'decide') {
    const [question] = await crib.approvals.list();
    console.log('question', question.request.input.details.report);
    await crib.approvals.decide(question.id, { approve: true, by: 'ada' });
  } else {
    const input = { topic: 'bees', to: 'ada@example.com' };
    const { runId, finished } = await crib.flows.start('research', input, { runId: 'report' });
    let isOver = false;
    const followed = follow(crib, runId, () => isOver);
    const run = await finished;
    isOver = true;
    await followed;
    console.log('finished', run.status, JSON.stringify(run.output ?? run.error));
  }
  await crib.close();
};
