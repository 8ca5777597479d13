/**
 * The `tools` section. Global settings and tools share one block: three keys are settings, every other
 * key is the name of a tool.
 */
import { z } from 'zod';
import { isToolName, TOOL_NAME } from '../../../contract/tool-name.ts';
import type { GlobalToolSetting } from '../../global-tool-settings.ts';
import { retrySetting } from '../calls/execution.ts';
import { ALSO_WHEN_FAULTY, milliseconds, positiveCount, TOOL_NAME_RULE } from '../fields.ts';
import { described, optionalSetting, section, setting } from '../setting.ts';

export const rateLimit = z.strictObject({
  maxPerHour: optionalSetting(positiveCount, {
    about: 'Calls of one caller in an hour.',
    project: 'lower-set',
  }),
  maxPerDay: optionalSetting(positiveCount, {
    about: 'Calls of one caller in a day.',
    project: 'lower-set',
  }),
});

const toolSettings = described(
  z.strictObject({
    enabled: optionalSetting(z.boolean(), {
      about:
        'Whether the tool may be called at all; when absent it may, unless its definition says otherwise.',
      project: 'tool-off',
    }),
    timeoutMs: optionalSetting(milliseconds, {
      about: 'The whole time a call may take, retries included; never more than maxExecutionTime.',
      project: 'lower',
    }),
    rateLimit: optionalSetting(rateLimit, { about: 'Replaces the rate limit the tool declares.' }),
    retry: optionalSetting(retrySetting, {
      about: 'Replaces the retry policy of the tool.',
      project: 'free',
    }),
    cache: optionalSetting(
      z.union([
        z.strictObject({ ttlMs: described(milliseconds, { about: 'How long a result is kept.' }) }),
        z.literal(false),
      ]),
      {
        about: 'Replaces the cache rule of the tool; false switches its cache off.',
        project: 'free',
      },
    ),
  }),
  { about: 'Settings of one tool, under its name.' },
);

const globalSettings = {
  showTokenCosts: setting(z.boolean(), {
    about: 'Show what each definition costs in prompt tokens when tools are listed.',
    project: 'free',
    default: true,
  }),
  autoLoadCustomTools: setting(z.boolean(), {
    about: 'Load the custom tools found under registry.path.',
    project: 'off',
    default: true,
  }),
  maxExecutionTime: setting(milliseconds, {
    about: 'The longest any call may take in milliseconds; a longer timeout is cut to this.',
    project: 'lower',
    default: 30 * 60_000,
  }),
} satisfies Readonly<Record<GlobalToolSetting, unknown>>;

export const toolsSection = section(
  z
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
    .meta({ propertyNames: { pattern: TOOL_NAME.source } }),
  'Which tools are on, and how each of them is bounded.',
);
