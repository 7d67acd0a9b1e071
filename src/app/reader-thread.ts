/** What SQLite's reader threads start with. */
import { runReaderThread } from '../store/storage/reader-thread.ts'
import { reads } from './queries.ts'

runReaderThread(reads)
