/** The folders and root files of src that ARCHITECTURE.md draws in its block marked `tree`. */

/** First words of the indented lines below `src/`; a line deeper than that is a remark. */
export const drawnFolders = (page: string): readonly string[] => {
  const block = /^```tree\n([\s\S]*?)^```$/m.exec(page)?.[1] ?? '';
  const [, below = ''] = block.split(/^src\/.*\n/m);
  return (
    below
      .split(/^\S/m)[0]
      ?.split('\n')
      .flatMap((line) => /^ {2}([\w.-]+)/.exec(line)?.[1] ?? []) ?? []
  );
};
