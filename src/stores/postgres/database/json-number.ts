/** Writes a number for an operation: JSON has no text for infinity, which a column can hold. */
export const jsonNumber = (value: number | undefined): number | string | null => {
  if (value === undefined) return null;
  return Number.isFinite(value) ? value : String(value);
};
