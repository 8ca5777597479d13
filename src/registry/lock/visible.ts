/** Makes text from outside safe to display. Handed in, because displaying belongs to other layers. */
export interface Visible {
  /** Gives the text on one line. */
  text(text: string): string;
  /** Gives the text line by line; padding is counted instead of shown. */
  lines(text: string): readonly string[];
  /** Gives JSON text in which every hidden character is escaped; the value stays the same. */
  json(json: string): string;
}
