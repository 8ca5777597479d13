/** The code that pages show: fenced blocks by language, so that tests can compile what people copy. */

/** The texts of the blocks marked with this language, in the order of the page. */
export const codeBlocks = (page: string, language: string): readonly string[] =>
  page
    .split(/^```/m)
    .filter((_, index) => index % 2 === 1)
    .filter((block) => block.startsWith(`${language}\n`))
    .map((block) => block.slice(language.length + 1));
