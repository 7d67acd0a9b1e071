/** The server without its journal, to measure what that costs. There is no such setting: nobody is to serve like this. */
import { serveUntilStopped } from '../src/cli/host/serve.ts'

await serveUntilStopped({ withoutJournal: true })
