// The same report as in research-flow, as code: the same story, the same two kills, the same result.
import { tellStory } from '../research-flow/story.mjs';

await tellStory(new URL('./worker.mjs', import.meta.url));
