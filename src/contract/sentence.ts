/** Ends what is said of a fault as a sentence. */

/** Adds a full stop, unless the text is a question such as `Did you mean "input"?`. */
export const sentence = (text: string): string => (text.endsWith('?') ? text : `${text}.`);
