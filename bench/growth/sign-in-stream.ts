/**
 * Signs in so many users per second: `sign-in-stream.ts <url> <per second> <seconds> <users>`. Each has a user name of
 * `peopleOf`. Prints the sessions that were created and what fraction of the requests were sent in time.
 */
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { password, usernameOf } from './people.ts'

const [url = '', ...numbers] = process.argv.slice(2)
const [perSecond = 0, seconds = 0, users = 1] = numbers.map(Number)
const agent = new Agent({ keepAlive: true, maxSockets: 64 })
let created = 0
const failures = new Map<string, number>()

function signIn(i: number): Promise<void> {
  const body = JSON.stringify({ username: usernameOf(i % users), password })
  const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }
  const person = i % users
  const network = { 'X-Forwarded-For': `10.${(person >> 8) & 255}.${person & 255}.7` }
  return new Promise((resolve) => {
    const failed = (reason: string) => {
      failures.set(reason, (failures.get(reason) ?? 0) + 1)
      resolve()
    }
    const call = request(
      `${url}/sessions`,
      { method: 'POST', agent, headers: { ...headers, ...network } },
      (answer) => {
        answer.resume()
        answer.on('end', () => {
          if (answer.statusCode !== 201) return failed(String(answer.statusCode))
          created++
          resolve()
        })
      },
    )
    call.on('error', (error) => failed(error.message))
    call.end(body)
  })
}

const began = performance.now()
const pending: Promise<void>[] = []
while (performance.now() - began < seconds * 1000) {
  const due = Math.floor(((performance.now() - began) / 1000) * perSecond)
  while (pending.length < due) pending.push(signIn(pending.length))
  await sleep(5)
}
await Promise.all(pending)
agent.destroy()
const perSecondReached = created / ((performance.now() - began) / 1000)
console.log(JSON.stringify({ created, perSecond: perSecondReached, failures: Object.fromEntries(failures) }))
