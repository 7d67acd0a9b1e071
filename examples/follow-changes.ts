/** Keeps a copy of all users, sessions, keys and roles in a file (docs/follow-changes.md). */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const { ROLLBOOK_URL = 'http://127.0.0.1:8080/auth', ROLLBOOK_KEY = '', COPY = 'directory.json' } = process.env
const empty = { place: { after: '0' }, things: { user: {}, session: {}, key: {}, role: {} } }
let copy = existsSync(COPY) ? JSON.parse(readFileSync(COPY, 'utf8')) : structuredClone(empty)

for (;;) {
  const query = new URLSearchParams({ ...copy.place, limit: '1000', wait: '30' })
  const request = { headers: { 'x-api-key': ROLLBOOK_KEY }, signal: AbortSignal.timeout(60_000) }
  const { status, text } = await fetch(`${ROLLBOOK_URL}/events?${query}`, request)
    .then(async (answer) => ({ status: answer.status, text: await answer.text() }))
    .catch((error) => ({ status: 0, text: String(error) }))
  if (status === 410) copy = structuredClone(empty) // The position has expired: start from the beginning.
  if (status !== 200) {
    console.error(status, text)
    await sleep(2000)
    continue
  }
  const { feed_id, cursor, has_more, events } = JSON.parse(text)
  for (const { type, subject, data } of events) {
    const things = copy.things[type.split('.')[0]] ?? {} // Later releases may have more subjects.
    if (data.erased || /\.(deleted|erased|ended|revoked)$/.test(type)) delete things[subject]
    else things[subject] = data
  }
  copy.place = { after: cursor, feed_id }
  if (has_more) continue // Write the file only when it is complete.
  writeFileSync(`${COPY}.new`, JSON.stringify(copy, null, 2), { mode: 0o600 })
  renameSync(`${COPY}.new`, COPY) // Replaces copy and position together.
}
