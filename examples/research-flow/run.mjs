// A flow as data: searches, reads three pages at once, summarizes, asks a person, sends. Killed twice.
import { tellStory } from './story.mjs';

await tellStory(new URL('./worker.mjs', import.meta.url));
