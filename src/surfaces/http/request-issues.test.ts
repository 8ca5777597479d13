import { expect, it } from 'vitest';
import { z } from 'zod';
import { requestIssues } from './request-issues.ts';
import { jobBody, scheduleBody } from './schemas/job.ts';

const issuesOf = (schema: z.ZodType, value: unknown) => {
  const { error } = schema.safeParse(value);
  return error && requestIssues(error, schema);
};

it.each([
  ['a field', jobBody, { type: 'tool', delay: 1 }, 'delay', 'is not known; did you mean delayMs?'],
  [
    'a field of a field',
    jobBody,
    { type: 'tool', backoff: { initialMs: 1, factor: 1, maxMs: 1, maxMS2: 1 } },
    'backoff.maxMS2',
    'is not known; did you mean maxMs?',
  ],
  [
    'a field of a schedule',
    scheduleBody,
    { type: 'tool', cron: '@daily', timezone: 'UTC' },
    'timezone',
    'is not known; did you mean timeZone?',
  ],
] as const)('a request with %s that is misspelt is told which was meant', (...given) => {
  const [, schema, body, path, message] = given;
  expect(issuesOf(schema, body)).toEqual([{ path: path.split('.'), message }]);
});

it('each unknown field of a request is an issue of its own, and a missing one is required', () => {
  const issues = issuesOf(z.strictObject({ id: z.string() }), { a: 1, b: 2 });
  expect(issues).toEqual([
    { path: ['id'], message: 'is required' },
    { path: ['a'], message: 'is not known; known are id' },
    { path: ['b'], message: 'is not known; known are id' },
  ]);
});

it('a field that is misspelt in a list is told which was meant, and one in a union is only named', () => {
  const entry = z.strictObject({ name: z.string() });
  const schema = z.strictObject({ list: z.array(entry), either: entry.or(z.number()).optional() });
  expect(issuesOf(schema, { list: [{ name: 'a', nme: 'b' }] })).toEqual([
    { path: ['list', 0, 'nme'], message: 'is not known; did you mean name?' },
  ]);
  expect(issuesOf(schema, { list: [], either: true })).toMatchObject([{ path: ['either'] }]);
});
