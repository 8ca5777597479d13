// The last step of `npm run build`: scripts/build-when-stale.mjs reads what is written here.
import { rememberBuild } from './build-state.mjs';

rememberBuild();
