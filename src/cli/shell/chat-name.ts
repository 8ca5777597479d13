/** The name under which the model's own steps go through the pipeline, and onto the record. */
export const CHAT_TOOL = 'shell:chat';
