/**
 * Reads all users with the client, as a program would, and tells the most that its heap grew by meanwhile. No collection is
 * asked for. Arguments: URL, key.
 */
import { RollbookClient } from '../src/sdk/client/index.ts'

const [url = '', apiKey] = process.argv.slice(2)
const client = new RollbookClient({ url, apiKey })
// What the first request loads is no growth.
await client.roles.list()
const before = process.memoryUsage().heapUsed
const began = performance.now()
let most = 0
let count = 0
for await (const user of client.users.list()) {
  count += user.user_id === '' ? 0 : 1
  if (count % 1000 === 0) most = Math.max(most, process.memoryUsage().heapUsed)
}
const seconds = (performance.now() - began) / 1000
console.log(JSON.stringify({ count, seconds, megabytes: (Math.max(most, before) - before) / 1e6 }))
