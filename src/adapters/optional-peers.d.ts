/** Frameworks that a program may have and that are not installed here, by the part of them that is used. */
declare module '@mastra/core/tools' {
  export const createTool: (options: object) => unknown;
}
declare module '@openai/agents' {
  export const tool: (options: object) => unknown;
}
