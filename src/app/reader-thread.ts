/** The entry point of SQLite's reader threads. */
import { runReaderThread } from '../store/sqlite/reader-thread.ts'
import { reads } from './queries.ts'

runReaderThread(reads)
