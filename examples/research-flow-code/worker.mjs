// One process that works on the report: the flow is code, in research.mjs.
import { createTools, work } from '../research-flow/tools.mjs';
import { createResearch } from './research.mjs';

const tools = createTools(process.argv[3]);
await work({ tools, register: (flows) => flows.register(createResearch(tools)) });
