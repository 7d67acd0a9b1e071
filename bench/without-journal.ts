/** The server without its journal, to measure what that costs. Deliberately not a setting: never serve like this. */
import { serveUntilStopped } from '../src/cli/host/serve.ts'

await serveUntilStopped({ withoutJournal: true })
