/** The entry point of SQLite's reader threads. */
import { runReaderThread } from '../store/storage/reader-thread.ts'
import { reads } from './queries.ts'

runReaderThread(reads)
