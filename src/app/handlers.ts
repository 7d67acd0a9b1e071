import type { Handlers } from '../store/storage/registry.ts'
import { reads } from './queries.ts'

/** What Rollbook's storage runs: the changes and reads of all features. */
export const handlers: Handlers = {
  ...reads,
  loadChanges: async () => (await import('./commands.ts')).changes,
  threads: {
    writer: new URL('./writer-thread.ts', import.meta.url),
    reader: new URL('./reader-thread.ts', import.meta.url),
  },
}
