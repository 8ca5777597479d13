/** How text from outside is made safe to look at. Handed in, for it belongs to those who show things. */
export interface Visible {
  /** On one line, whatever is in it. */
  text(text: string): string;
  /** Line by line; padding is counted instead of shown. */
  lines(text: string): readonly string[];
  /** JSON text in which every hidden character is an escape; the value stays the same. */
  json(json: string): string;
}
