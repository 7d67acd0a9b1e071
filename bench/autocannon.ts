/** What wrk does with requests.lua, where there is no wrk. Argument: the order as JSON. */
import { readFileSync } from 'node:fs'
import autocannon from 'autocannon'
import type { Counted, Order } from './load.ts'
import { randomNumbers } from './users.ts'

const order = JSON.parse(process.argv[2] ?? '') as Order & { timeoutSeconds: number }
const targets = readFileSync(order.targetsFile, 'utf8').split('\n')
const random = randomNumbers()
let number = 0

const result = await autocannon({
  url: order.url,
  connections: order.connections,
  duration: order.seconds,
  timeout: order.timeoutSeconds,
  requests: [
    {
      method: order.method,
      headers: order.headers,
      setupRequest: (request) => {
        const [path, subject = ''] = (targets[random() % targets.length] as string).split('\t')
        const body = order.body?.replaceAll('%n', String(++number)).replaceAll('%t', subject)
        return { ...request, path: path as string, ...(body && { body }) }
      },
    },
  ],
})
const counted: Counted = {
  requests: result.requests.total,
  seconds: result.duration,
  failed: result.errors + result.non2xx,
  p50Ms: result.latency.p50,
  p99Ms: result.latency.p99,
}
console.log(`\n${JSON.stringify(counted)}`)
