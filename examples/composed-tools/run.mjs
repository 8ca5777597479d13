// One tool made of others. The whole is judged first, each part by itself; a failure tells what was
// done, and undo takes it back.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createComposition, createCrib, defineTool, parallel, sequence } from 'toolcrib';
import { z } from 'zod';

const root = await mkdtemp(join(tmpdir(), 'toolcrib-example-'));
await writeFile(join(root, 'notes.txt'), 'before');

const fetchTitle = defineTool({
  name: 'fetch_title',
  description: 'Looks up the title of a topic.',
  tier: 'read_only',
  input: z.strictObject({ topic: z.string() }),
  output: z.object({ text: z.string() }),
  run: ({ topic }) => ({ text: `All about ${topic}` }),
});
const saveNote = defineTool({
  name: 'save_note',
  description: 'Writes a text to notes.txt.',
  tier: 'write',
  needs: { paths: [{ path: '.', access: 'write' }] },
  input: z.strictObject({ text: z.string() }),
  run: async ({ text }, { fs }) => fs.write('notes.txt', text),
});
const publish = defineTool({
  name: 'publish',
  description: 'Fails, as services do.',
  tier: 'write',
  input: z.object({}),
  run: () => {
    throw new Error('The service is closed.');
  },
});

const note = sequence([fetchTitle, saveNote], { name: 'note' });
const release = sequence([note, publish], { name: 'release', transformOutput: () => ({}) });
const twoTitles = parallel([fetchTitle, fetchTitle], { name: 'two_titles', namespaced: true });
const summary = await createComposition(
  {
    type: 'composed',
    name: 'summary',
    description: 'Joins a title and its length.',
    schema: { type: 'object', properties: { topic: { type: 'string' } }, required: ['topic'] },
    composition: {
      steps: [
        { id: 'title', tool: 'fetch_title', parameters: { dynamic: { topic: 'input.topic' } } },
      ],
    },
    aggregation: { strategy: 'custom', cel: '{"title": steps.title.data.text, "by": caller.user}' },
  },
  [fetchTitle],
);

const tools = [fetchTitle, saveNote, publish, note, release, twoTitles, summary];
const crib = await createCrib({ root, store: 'memory', builtins: false, tools });

const titles = await crib.execute('two_titles', {
  fetch_title: { topic: 'bolts' },
  fetch_title_2: { topic: 'nuts' },
});
console.log(titles.data.fetch_title.data.text, '-', titles.data.fetch_title_2.data.text);
assert.equal(titles.data.fetch_title_2.data.text, 'All about nuts');

const made = await crib.execute('summary', { topic: 'bolts' }, { userId: 'ada' });
console.log(made.data.output);
assert.deepEqual(made.data.output, { title: 'All about bolts', by: 'ada' });

const failed = await crib.execute('release', { topic: 'bolts' });
console.log(
  failed.error.message,
  failed.error.partial.results.map(({ tool, status }) => `${tool}: ${status}`),
);
assert.equal(failed.success, false);
assert.equal(await readFile(join(root, 'notes.txt'), 'utf8'), 'All about bolts');

const undone = await crib.executions.undo(failed.metadata.executionId);
console.log(
  'undone:',
  undone.data.parts.map(({ tool, undone: isUndone }) => [tool, isUndone]),
);
assert.equal(await readFile(join(root, 'notes.txt'), 'utf8'), 'before');

await crib.close();
await rm(root, { recursive: true });
