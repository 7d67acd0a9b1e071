/** Several nodes on one database, in this process, each reached by the network that the test gives it. */
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { makeDirectory, type Service, startService } from '../durability/process.ts'
import { type Answer, type Started, start } from '../harness.ts'
import { type FreshSchema, freshSchema, postgresIsMissing, startCluster } from '../postgres.ts'
import { assertWithin } from '../time-limit.ts'
import { type Network, startNetwork } from './network.ts'

export const skip = postgresIsMissing
const postgres = { name: 'PostgreSQL' } as const

/** A schema whose connections only the test cuts; it is dropped after its nodes. */
export async function schemaFor(t: TestContext, options?: { trigrams: boolean }): Promise<FreshSchema> {
  const schema = await freshSchema(options)
  t.after(() => schema.drop())
  return schema
}

export async function twoNodes(t: TestContext, env: Record<string, string> = {}): Promise<[Started, Started]> {
  const first = await start(t, postgres, { env })
  return [first, await start(t, postgres, { env, beside: first })]
}

/** Two nodes, of which the second one sees the database through a network that can fail. */
export async function behindNetwork(
  t: TestContext,
  env: Record<string, string> = {},
): Promise<{ direct: Started; behind: Started; network: Network }> {
  const direct = await start(t, postgres, { env })
  const url = direct.database?.url as string
  const network = await startNetwork(t, Number(new URL(url).port))
  const behind = await start(t, postgres, {
    beside: direct,
    env: { ...env, ROLLBOOK_DATABASE_URL: network.through(url) },
  })
  return { direct, behind, network }
}

/** Repeats a request until the response is as wanted. Returns how long that took, in milliseconds. */
export async function waitUntil(what: string, longestMs: number, holds: () => Promise<boolean>): Promise<number> {
  const begun = performance.now()
  while (!(await holds())) {
    assertWithin(longestMs, begun, what)
    await sleep(20)
  }
  return performance.now() - begun
}

export async function timed<T>(work: Promise<T>): Promise<{ ms: number; result: T }> {
  const begun = performance.now()
  const result = await work
  return { ms: performance.now() - begun, result }
}

export function codes(answers: readonly Answer[]): Record<string, number> {
  const found: Record<string, number> = {}
  for (const { status, body } of answers) {
    const code = `${status}${status >= 400 ? ` ${body?.code}` : ''}`
    found[code] = (found[code] ?? 0) + 1
  }
  return found
}

/** A PostgreSQL of the test's own, which may fail; with a role and a schema for nodes. */
export async function ownCluster(t: TestContext, options?: Parameters<typeof startCluster>[0]) {
  const cluster = await startCluster(options)
  t.after(() => cluster.remove())
  await runAs(cluster.adminUrl, "CREATE ROLE rollbook LOGIN PASSWORD 'secret'")
  await runAs(cluster.adminUrl, 'GRANT CONNECT ON DATABASE rollbook TO rollbook')
  await runAs(cluster.adminUrl, 'CREATE SCHEMA rollbook AUTHORIZATION rollbook')
  return { cluster, url: cluster.url({ user: 'rollbook', password: 'secret' }) }
}

export async function runAs(url: string, text: string, schema = 'rollbook'): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, options: `-c search_path=${schema}` })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

/** A node on that PostgreSQL, as a process of its own. */
export function startProcess(t: TestContext, url: string, env: Record<string, string> = {}): Promise<Service> {
  return startService(t, { directory: makeDirectory(t), env: { ROLLBOOK_DATABASE_URL: url, ...env } })
}

/** Runs a statement as the superuser, past every rule. */
export function runOn({ adminUrl, schema }: FreshSchema, text: string): Promise<Record<string, unknown>[]> {
  return runAs(adminUrl, text, schema)
}
