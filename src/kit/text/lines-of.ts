/** Splits texts into lines without losing anything. */

/** Gives the lines of a text, each with its line end, so that joining them gives the text again. */
export const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
