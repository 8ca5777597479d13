import { expect, it } from 'vitest';
import type { Tool } from './tool.ts';
import { TOOL_FIELDS } from './tool-fields.ts';

it('the table of fields knows every field of a tool', () => {
  // A field that is missing does not compile: `defineTool` would refuse tools that have it.
  const known: Readonly<Record<keyof Tool, unknown>> = TOOL_FIELDS;
  expect(Object.keys(known)).toContain('title');
});
