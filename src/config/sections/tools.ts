/**
 * The `tools` section. Global settings and tools share one block, as people know it from the
 * documents: the three keys below are settings, every other key is the name of a tool.
 */
import { z } from 'zod';
import { byProject } from '../project-rule.ts';
import {
  ALSO_WHEN_FAULTY,
  isToolName,
  milliseconds,
  positiveCount,
  TOOL_NAME,
  TOOL_NAME_RULE,
} from './fields.ts';
import { retrySetting } from './retry.ts';

const rateLimit = z.strictObject({
  maxPerHour: positiveCount
    .exactOptional()
    .describe('Calls of one caller in an hour.')
    .meta(byProject('lower-set')),
  maxPerDay: positiveCount
    .exactOptional()
    .describe('Calls of one caller in a day.')
    .meta(byProject('lower-set')),
});

const toolSettings = z
  .strictObject({
    enabled: z
      .boolean()
      .describe('Whether the tool may be called at all.')
      .meta(byProject('tool-off'))
      .default(true),
    timeoutMs: milliseconds
      .exactOptional()
      .describe(
        'The whole time a call may take, retries included; never more than maxExecutionTime.',
      )
      .meta(byProject('lower')),
    rateLimit: rateLimit.exactOptional().describe('Replaces the rate limit the tool declares.'),
    retry: retrySetting
      .exactOptional()
      .describe('Replaces the retry policy of the tool.')
      .meta(byProject('free')),
    cache: z
      .union([
        z.strictObject({ ttlMs: milliseconds.describe('How long a result is kept.') }),
        z.literal(false),
      ])
      .exactOptional()
      .describe('Replaces the cache rule of the tool; false switches its cache off.')
      .meta(byProject('free')),
  })
  .describe('Settings of one tool, under its name.');

export type ToolSettings = z.output<typeof toolSettings>;

const globalSettings = {
  showTokenCosts: z
    .boolean()
    .describe('Show what each definition costs in prompt tokens when tools are listed.')
    .meta(byProject('free'))
    .default(true),
  autoLoadCustomTools: z
    .boolean()
    .describe('Load the custom tools found under registry.path.')
    .meta(byProject('off'))
    .default(true),
  maxExecutionTime: milliseconds
    .describe('The longest any call may take in milliseconds; a longer timeout is cut to this.')
    .meta(byProject('lower'))
    .default(60_000),
};

export const toolsSection = z
  .strictObject(globalSettings)
  .catchall(toolSettings)
  .superRefine((tools, context) => {
    for (const key of Object.keys(tools)) {
      if (isToolName(key)) continue;
      context.addIssue({
        code: 'custom',
        path: [key],
        params: { part: 'key' },
        message: TOOL_NAME_RULE,
      });
    }
  }, ALSO_WHEN_FAULTY)
  .meta({ propertyNames: { pattern: TOOL_NAME.source } })
  .describe('Which tools are on, and how each of them is bounded.')
  .prefault({});

/** The settings of one tool, if there are any. Looks at own keys only: `constructor` is no tool. */
export const toolSettingsOf = (
  tools: z.output<typeof toolsSection>,
  name: string,
): ToolSettings | undefined =>
  Object.hasOwn(tools, name) && !Object.hasOwn(globalSettings, name) ? tools[name] : undefined;
