import { threadModule } from '../lib/home.ts'
import type { Handlers } from '../store/storage/registry.ts'
import { reads } from './queries.ts'

/** The changes and reads of all features, registered with the storage. */
export const handlers: Handlers = {
  ...reads,
  loadChanges: async () => (await import('./commands.ts')).changes,
  threads: {
    writer: threadModule('app/writer-thread'),
    reader: threadModule('app/reader-thread'),
  },
}
