/** The operations of `text_transform` that a language model does. */
import type { ToolContext } from '../../../contract/context.ts';
import { DEFAULT_SENTENCES, type SummaryOptions } from './analyse.ts';
import { askModel } from './ask-model.ts';
import { shorten } from './summarize.ts';
import { takeBeginning } from './take-sample.ts';

/** A summary in the words of the model. */
export const summarizeByModel = async (
  whole: string,
  { maxSentences = DEFAULT_SENTENCES, maxLength }: SummaryOptions,
  context: ToolContext,
): Promise<{ text: string; model: string }> => {
  const limit = maxLength === undefined ? '' : ` and ${maxLength} characters`;
  const { text, model } = await askModel(
    {
      instruction: `Summarize the text in its own language in at most ${maxSentences} sentences${limit}. Add nothing that it does not say.`,
      text: takeBeginning(whole, (message) => context.warn(message)),
      maxTokens: 2_048,
    },
    context,
  );
  return { text: shorten(text, maxLength ?? Number.MAX_SAFE_INTEGER), model };
};

/** The whole text in another language. */
export const translate = async (
  text: string,
  targetLanguage: string,
  context: ToolContext,
): Promise<{ text: string; model: string }> => {
  const reply = await askModel(
    {
      instruction: `Translate the text into ${targetLanguage}. Keep its meaning, tone, line breaks and markup.`,
      text,
      maxTokens: 8_192,
    },
    context,
  );
  return { text: reply.text, model: reply.model };
};
