/** The settings that sources of every kind have besides their own. */
import { z } from 'zod';
import { milliseconds, positiveCount, toolName } from '../fields.ts';
import { optionalSetting } from '../setting.ts';
import { FLOW, HEADERS, tier, toolSettings } from './source-fields.ts';
import { rateLimit } from './tools.ts';

export const EXTERNAL_FIELDS = {
  ...FLOW,
  enabled: optionalSetting(z.boolean(), {
    about: 'false leaves the source out.',
    project: 'off',
  }),
  tier: optionalSetting(tier, {
    about: 'How risky its tools are; by the kind of operation when absent.',
    project: 'user',
  }),
  tools: optionalSetting(
    z.record(toolName, toolSettings.describe('One tool, under the name the source gives it.')),
    { about: 'What you say of single tools of the source.' },
  ),
  headers: HEADERS,
  timeoutMs: optionalSetting(milliseconds, {
    about: 'Milliseconds a call may take.',
    project: 'add',
  }),
  rateLimit: optionalSetting(rateLimit, {
    about:
      'How often one caller may call its tools, all together; a tool with a rateLimit under `tools` of the configuration has that one instead.',
  }),
  maxOutputBytes: optionalSetting(positiveCount, {
    about: 'The largest answer that is read.',
    project: 'add',
  }),
};
